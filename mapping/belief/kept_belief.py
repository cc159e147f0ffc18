"""A belief as it is stored: its match with two more fields and the names of its doubts, which any version of ours reads.

An earlier version knows neither field and passes over them; what it has stored has none of them, and no doubt in it counts.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

from mapping.belief.confirm import NOTHING_KNOWN, ConfirmedMatch, Memory
from mapping.belief.doubts import Doubt
from mapping.match.match import Match


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptMatch(Match):
    """The match that is believed, and what the next answer is compared with besides."""

    doubts: tuple[Doubt, ...] = ()
    memory: Memory = NOTHING_KNOWN


Kept = tuple[KeptMatch, tuple[str, ...]]
"""The form: the match, and the names of what is in doubt."""

LASTING = frozenset(each.name for each in fields(Match)) - {"faults", "unreadable_keys"}
"""The fields of a match but those that say what was wrong with its last answers."""


def to_kept(belief: ConfirmedMatch) -> Kept:
    """The belief as it is stored."""
    doubts = tuple(sorted(belief.doubted))
    lasting = {name: getattr(belief.match, name) for name in LASTING}
    return KeptMatch(**lasting, doubts=doubts, memory=belief.memory), tuple([each.name for each in doubts])


def of_kept(kept: Kept) -> ConfirmedMatch:
    """The belief that was stored."""
    match, _ = kept
    return ConfirmedMatch(
        Match(**{name: getattr(match, name) for name in LASTING}), frozenset(match.doubts), memory=match.memory
    )
