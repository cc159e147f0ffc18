"""The samples of gn-gsd for the contract of all adapters."""

from datetime import datetime, timedelta
from typing import Any

from providers.base import Selector
from providers.contract import Sample
from providers.gn_gsd.adapter import GN_GSD
from providers.replay import Line
from tests.kit.day_lists import listing
from tests.kit.interface_tables import OURS, providers
from tests.kit.statuses import state_table
from tests.providers.contract.thinning import LongContract, lean
from tests.providers.gn_gsd.gsd import ACTIONS, KICKOFF, MATCH_ID, action, encoded, lineups, match, named, race, result

TABLE = providers(OURS.read_text(encoding="utf-8"))
"""The interface's provider table: gn-gsd's types stand there in an order of their own."""

PHASE_ID, OVERALL_ID = "GNPHASE", "GNOVERALL"
RACE_ID = "GNF057JFZJSXMEX"


START = datetime.fromisoformat("2025-06-14T16:00:00+00:00")


def soccer(name: str, actions, squads, **changes) -> Sample:
    listed = {"id": PHASE_ID, "matches": [match(**changes)]}
    return Sample(
        name,
        match_id=MATCH_ID,
        sport="soccer",
        kickoff=KICKOFF,
        forms=(f" {MATCH_ID} ",),
        selectors=(Selector("phase", PHASE_ID), Selector("overall", OVERALL_ID)),
        bodies={
            f"matches/{MATCH_ID}": encoded({"match": match(**changes)}),
            f"matches/{MATCH_ID}/lineups": encoded({"lineups": squads}),
            f"matches/{MATCH_ID}/actions": encoded({"actions": actions}),
            f"phases/{PHASE_ID}": encoded({"phase": listed}),
            f"overalls/{OVERALL_ID}": encoded({"overall": {"id": OVERALL_ID, "names": named("Z"), "phases": [listed]}}),
        },
    )


def shootout(squads) -> Sample:
    return soccer(
        "shoot-out",
        [*ACTIONS, action(7, "OWN_GOAL", "104:30", "away", 5, period=3), action(8, "GOAL", "120:00", period=5)],
        squads,
        status="FINISHED",
        currentPeriod=None,
        result=result("1:1", extraTimeScore="1:1", shootoutScore="3:4"),
    )


SECOND_HALF = soccer("second half", ACTIONS, lineups())
STAGE = Sample(
    "stage",
    match_id=f"phase:{RACE_ID}",
    sport="cycling",
    kickoff=1752059700,
    bodies={f"phases/{RACE_ID}": encoded({"phase": race()})},
)


class GnGsdContract(LongContract):
    provider = GN_GSD
    states = state_table("gn-gsd")
    listings = (listing("gn-gsd"),)
    order = {sport: row[1] for (name, sport), row in TABLE.items() if name == GN_GSD.id}  # noqa: RUF012
    samples = (SECOND_HALF, shootout(lineups()), STAGE)
    short = (lean(SECOND_HALF), lean(shootout({})), lean(STAGE))


def line(second: int, resource: str, body: Any) -> Line:
    return Line.of(START + timedelta(seconds=second), resource, body)


def playing(*actions: Any, second: int = 60, **changes: Any) -> list[Line]:
    """The match with these actions from a second on."""
    return [
        line(second, f"matches/{MATCH_ID}", {"match": match(**changes)}),
        line(second, f"matches/{MATCH_ID}/actions", {"actions": list(actions)}),
    ]


SQUADS = line(0, f"matches/{MATCH_ID}/lineups", {"lineups": lineups()})
