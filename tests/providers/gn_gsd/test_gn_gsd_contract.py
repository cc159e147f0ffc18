"""The contract of all adapters, kept by gn-gsd."""

from __future__ import annotations

from tests.kit.gn_gsd_contract import GnGsdContract


class TestGnGsd(GnGsdContract):
    pass
