"""A match of soccer, and ways to leave something of it out."""

from dataclasses import replace

from mapping.belief.belief import ConfirmedMatch
from mapping.belief.confirm import confirm_answer
from mapping.match.match import ALL_PARTS, Clock, PeriodScore, Score, Status
from store.following.follow_rows import packed_belief, unpacked_belief
from tests.mapping.soccer_builders import GEIS, GORETZKA, KICKOFF, MATCH, MEYER, comment, incident, involved

GOAL = incident("soccer.goal", minute=15, side="home", people=involved(scorer=GORETZKA), score=Score(1, 0))
CHANGE = incident("soccer.substitution", key="incident:2", order=2, people=involved(in_=MEYER, out=GEIS))
START = incident("soccer.game-start", key="period:soccer.game-start", order=0)

FULL = replace(
    MATCH,
    score=Score(2, 0),
    status=Status.BREAK,
    clock=Clock(phase=1, phase_started_at=KICKOFF, in_break=True),
    periods=(PeriodScore(title="half-time", score=Score(1, 0)),),
    incidents=(START, GOAL, CHANGE),
    comments=(comment("A goal", incident_key=GOAL.key), comment("Rain", key="text:2", order=2)),
)


def without(name, *rows):
    return replace(FULL, **{name: tuple(each for each in getattr(FULL, name) if each not in rows)})


def only(**fields):
    return replace(FULL, **fields)


def polled(belief: ConfirmedMatch, *answers, good=ALL_PARTS) -> list[ConfirmedMatch]:
    """What is believed after each of the answers; between them it is stored and loaded as by a process that was killed."""
    found = []
    for answer in answers:
        belief = unpacked_belief(packed_belief(confirm_answer(belief, answer, good=good)))
        found.append(belief)
    return found
