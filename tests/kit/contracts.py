"""The samples of every built-in adapter for the contract; a plug-in's own stand in its test file."""

from dataclasses import replace
from pathlib import Path

from providers.base import Selector
from providers.contract import Sample, xml
from providers.contract.case import KEY, plain_endpoint
from providers.heim.adapter import HEIM
from providers.openligadb.adapter import OPENLIGADB
from providers.pa.adapter import PA
from providers.replay import read_lines
from providers.statsperform.adapter import STATSPERFORM
from tests.kit.day_lists import listing
from tests.kit.statuses import state_table
from tests.providers.contract.thinning import LongContract, lean

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures"


def fixture(name):
    return (FIXTURES / name).read_bytes()


def openligadb(name, **more):
    return Sample(
        name,
        match_id="70001",
        sport="soccer",
        bodies={"getmatchdata/70001": fixture(f"openligadb/soccer/{name}.match.json"), **more.pop("also", {})},
        kickoff=1749916800,
        forms=("070001",),
        **more,
    )


class OpenLigaDbContract(LongContract):
    provider = OPENLIGADB
    states = state_table("openligadb")
    listings = (listing("openligadb"),)
    samples = (
        openligadb(
            "cup-final",
            also={
                "getmatchdata/hansepokal/2024/6": fixture("openligadb/soccer/league.phase.json"),
                "getmatchdata/hansepokal/2024": fixture("openligadb/soccer/league.phase.json"),
            },
            selectors=(Selector("phase", "hansepokal:2024:6"), Selector("overall", "hansepokal:2024")),
        ),
        openligadb("cup-final-running"),
        openligadb("cup-final-planned"),
    )
    short = samples

    @staticmethod
    def endpoint(base_url):
        return replace(plain_endpoint("openligadb", base_url), options={"leagues": ["pokal:2024"]})


DERBY = "4hafen5derby2fixture7match"


def statsperform(name, **more):
    return Sample(
        name,
        match_id=DERBY,
        sport="soccer",
        bodies={DERBY: fixture(f"statsperform/soccer/{name}.match.json"), **more.pop("also", {})},
        kickoff=1749916800,
        **more,
    )


class StatsPerformContract(LongContract):
    provider = STATSPERFORM
    states = state_table("statsperform")
    listings = (listing("statsperform"),)
    samples = (
        statsperform(
            "derby",
            also={f"match/{KEY}": fixture("statsperform/soccer/season.overall.json")},
            selectors=(
                Selector("overall", "4season5fixture0000000001"),
                Selector("phase", "4stage5fixture00000000001"),
            ),
        ),
        statsperform("derby-running"),
        statsperform("derby-planned"),
    )
    short = samples


TIE = "7700123"


def pa(name, **more):
    """A match of PA's; the key is a segment of each path, before the id."""
    paths = {"match": "match/info", "events": "match/events", "lineups": "match/lineUpsEnhanced"}
    own = {f"{path}/{KEY}/{TIE}": fixture(f"pa/soccer/{name}.{kind}.xml") for kind, path in paths.items()}
    return Sample(
        name,
        match_id=TIE,
        sport="soccer",
        bodies={**own, **more.pop("also", {})},
        kickoff=1749916800,  # 17:00 in London, in summer
        forms=("007700123",),
        notation=xml("match", "event", "player", "error"),
        **more,
    )


class PaContract(LongContract):
    """The key stands in the path, and errors come with the status of a good answer."""

    provider = PA
    states = state_table("pa")
    listings = (listing("pa"),)
    samples = (
        pa(
            "cup-tie-running",
            also={
                f"competition/matchDay/{KEY}/100/20250614": fixture("pa/soccer/day.phase.xml"),
                f"competition/liveGames/{KEY}/100": fixture("pa/soccer/live.overall.xml"),
            },
            selectors=(Selector("phase", "100:20250614"), Selector("overall", "100")),
        ),
        pa("cup-tie"),
        pa("cup-tie-planned"),
    )
    short = tuple(map(lean, samples))


def heim(name, sport):
    """The last answers of a recorded match; what was not recorded is empty."""
    lines = [line for line in read_lines(FIXTURES / "heim" / sport / f"{name}.jsonl") if line.kind != "liveticker"]
    match_id, last = lines[0].match_id, {line.kind: line.text.encode() for line in lines if line.is_json}
    bodies = {f"{kind}/ma{match_id}": last.get(kind, b"[]") for kind in ("match", "match-event")}
    return Sample(f"{sport} {name}", match_id=match_id, sport=sport, bodies=bodies)


class HeimOtherSportsContract(LongContract):
    """Sets, quarters, races and a sport without events."""

    provider = HEIM
    exempt = {  # noqa: RUF012
        "states.words": "the words are those of football",
        "fixtures.day": "lists are of all sports, and the other contract has them",
    }
    samples = (
        heim("tie-break", "tennis"),
        heim("retired", "tennis"),
        heim("overtime", "american_football"),
        Sample(
            "sao-paulo",
            match_id="9900011",
            sport="motorsports",
            bodies={
                "match/ma9900011": fixture("heim/motorsports/sao-paulo.match.json"),
                "match-event/ma9900011": fixture("heim/motorsports/sao-paulo.match-event.json"),
            },
        ),
    )
    short = tuple(map(lean, samples))


class HeimContract(LongContract):
    provider = HEIM
    states = state_table("heim")
    listings = (listing("heim"),)
    samples = (
        Sample(
            "cup-final",
            match_id="9000001",
            sport="soccer",
            text=True,
            kickoff=1749916800,
            forms=("ma9000001",),
            bodies={
                "match/ma9000001": fixture("heim/soccer/cup-final.match.json"),
                "match-event/ma9000001": fixture("heim/soccer/cup-final.match-event.json"),
                "liveticker/co31/ma9000001": fixture("heim/soccer/cup-final.liveticker.json"),
            },
        ),
    )
    short = tuple(map(lean, samples))
