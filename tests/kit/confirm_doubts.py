"""Answers believed one after the other."""

from mapping.belief.confirm import ConfirmedMatch, confirm_answer
from mapping.match.parts import ALL_PARTS
from store.following.sync import packed_belief, unpacked_belief


def polled(belief: ConfirmedMatch, *answers, good=ALL_PARTS) -> list[ConfirmedMatch]:
    """What is believed after each of the answers; between them it is stored and loaded as by a process that was killed."""
    found = []
    for answer in answers:
        belief = unpacked_belief(packed_belief(confirm_answer(belief, answer, good=good)))
        found.append(belief)
    return found
