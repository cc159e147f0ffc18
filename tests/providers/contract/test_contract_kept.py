"""The contract holds for every built-in adapter; this file is what a plug-in's own would look like, with its samples in it."""

from tests.kit.contracts import (
    HeimContract,
    HeimOtherSportsContract,
    OpenLigaDbContract,
    PaContract,
    StatsPerformContract,
)
from tests.kit.gn_gsd_contract import GnGsdContract


class TestGnGsd(GnGsdContract):
    pass


class TestOpenLigaDb(OpenLigaDbContract):
    pass


class TestStatsPerform(StatsPerformContract):
    pass


class TestPa(PaContract):
    pass


class TestHeimOtherSports(HeimOtherSportsContract):
    pass


class TestHeim(HeimContract):
    pass
