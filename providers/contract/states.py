"""The rule of the words for a match's state: each means something before, during and after play, and takes back nothing played."""

from __future__ import annotations

from dataclasses import dataclass

from mapping.belief.belief import ConfirmedMatch
from mapping.belief.confirm import confirm_answer
from mapping.match.match import ALL_PARTS, Match
from providers.contract.case import Case, StateTable, expect

MOMENTS = ("before", "during", "after")
"""When a word may come: before play, in the middle of it, and after it."""
ENOUGH = 3
"""Answers in a row after which nothing waits any more."""


@dataclass(frozen=True, slots=True)
class Believed:
    """What is believed of a match after it said one word, and then for a while another one."""

    usual: ConfirmedMatch
    then: ConfirmedMatch


async def words(case: Case) -> None:
    table = case.states
    expect(table is not None, "there is no table of the words for a match's state")
    if table is None:
        return
    for word, states in table.states.items():
        expect(tuple(states) == MOMENTS, f"{word}: the table says {', '.join(states)}, not {', '.join(MOMENTS)}")
        for moment in MOMENTS:
            found = await believe_word(case, table, word, moment)
            state, said = state_words(found.then.match), states[moment]
            expect(state == said, f"{word} {moment} play: it is {state!r}, not {said!r}")
            lost = _played_things(found.usual.match) - _played_things(found.then.match)
            expect(not lost, f"{word} {moment} play: takes back {', '.join(sorted(lost))}")


async def believe_word(case: Case, table: StateTable, word: str, moment: str) -> Believed:
    """What is believed of a match that has its usual word at this moment, and then this one."""
    adapter = case.connect("http://127.0.0.1:9")
    try:
        answers = [
            adapter.translate(table.match_id, table.bodies(each, moment)) for each in (table.usual[moment], word)
        ]
    finally:
        await adapter.aclose()
    usual = settle(None, answers[0])
    return Believed(usual, settle(usual, answers[1]))


def settle(before: ConfirmedMatch | None, answer: Match, answers: int = ENOUGH) -> ConfirmedMatch:
    """What is believed after so many answers that say the same."""
    belief = confirm_answer(before, answer, good=ALL_PARTS)
    for _ in range(answers - 1):
        belief = confirm_answer(belief, answer, good=ALL_PARTS)
    return belief


def state_words(match: Match) -> str:
    """Where a match is: its status, the part that runs or ran last, and whether play in it is stopped."""
    part = f"part {match.clock.phase}" if match.clock.phase else ""
    return ", ".join(filter(None, (match.status, part, "stopped" if match.clock.stopped else "")))


def _played_things(match: Match) -> set[str]:
    """What was played: the score, and the keys of what the provider sent."""
    score = {str(match.score)} if match.score is not None and match.score.total else set[str]()
    return score.union(each.key for each in match.incidents if not each.synthesised and not each.marks_period)
