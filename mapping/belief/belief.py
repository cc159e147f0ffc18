"""What is believed of a match, and how it is stored: the match, what its last answers no longer said, and the open doubts.

Any version of ours reads it: an earlier one knows neither field and passes over them, and what that has stored has none of them,
and no doubt in it counts.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields

from mapping.belief.doubts import Doubt, Retreat
from mapping.belief.goals import SentScores
from mapping.belief.incident_keys import Keys
from mapping.belief.match_course import EarlierTry
from mapping.match.match import Match


@dataclass(frozen=True, slots=True)
class Memory:
    """What is kept of earlier answers beside the match that is believed.

    `retreats`: steps back that were believed, the latest last. `sent`: the scores without the goals that are further on.
    `disallowed`: keys of goals that the answers still have, though the match was over with a lower score. `keys`: incidents that
    the answers have under other keys. `earlier`: a try of the match that was taken back, where the answers have rows of it.
    """

    retreats: tuple[Retreat, ...] = field(default=(), compare=False)
    sent: SentScores | None = None
    disallowed: tuple[str, ...] = ()
    keys: Keys = ()
    earlier: EarlierTry | None = None


NOTHING_KNOWN = Memory()


@dataclass(frozen=True, slots=True)
class ConfirmedMatch:
    """A match as it is believed, and what its last good answers did not say any more.

    `unconfirmed`: something is gone from an answer that can confirm nothing, so a later one has to be looked at.
    """

    match: Match
    doubted: frozenset[Doubt] = frozenset()
    unconfirmed: bool = False
    memory: Memory = NOTHING_KNOWN


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptMatch(Match):
    """The match that is believed, and what the next answer is compared with besides."""

    doubts: tuple[Doubt, ...] = ()
    memory: Memory = NOTHING_KNOWN


Kept = tuple[KeptMatch, tuple[str, ...]]
"""The form: the match, and the names of what is in doubt."""

LASTING = frozenset(each.name for each in fields(Match)) - {"faults", "unreadable_keys"}
"""The fields of a match but those that say what was wrong with its last answers."""


def pack_belief(belief: ConfirmedMatch) -> Kept:
    """Turn a belief into the form in which it is stored."""
    doubts = tuple(sorted(belief.doubted))
    lasting = {name: getattr(belief.match, name) for name in LASTING}
    return KeptMatch(**lasting, doubts=doubts, memory=belief.memory), tuple([each.name for each in doubts])


def unpack_belief(kept: Kept) -> ConfirmedMatch:
    """Turn a stored belief back into a match and what is kept beside it."""
    match, _ = kept
    return ConfirmedMatch(
        Match(**{name: getattr(match, name) for name in LASTING}), frozenset(match.doubts), memory=match.memory
    )
