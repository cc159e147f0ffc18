"""What a process remembers of a liveblog between two polls, so that it reads and compares only what can have changed.

It holds as long as nobody else writes to the liveblog and everything beside its posts is made of the same; else the
ledger and all posts are looked at again.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from mapping import fingerprint

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from mapping.match import Match
    from mapping.terms import Terms


@dataclass(frozen=True, slots=True)
class InputFingerprint:
    """What a snapshot makes of a liveblog, as hashes (mapping.prints)."""

    setting: int
    posts: dict[str, int]

    @classmethod
    def of(cls, match: Match, terms: Terms) -> InputFingerprint:
        return cls(fingerprint.of_setting(match, terms), fingerprint.of_posts(match, terms))


@dataclass(frozen=True, slots=True)
class CachedInputs:
    """A liveblog as the last unit of the sync left it: in line with these fingerprint, nothing missing, nothing in doubt.

    `posts`: hashes of key and fingerprint in turn, 16 bytes a post, where a dict would take 150.
    """

    version: int
    setting: int
    posts: array[int]

    @classmethod
    def of(cls, version: int, fingerprint: InputFingerprint) -> CachedInputs:
        pairs = ((hash(key), made) for key, made in fingerprint.posts.items())
        return cls(version, fingerprint.setting, array("q", chain.from_iterable(pairs)))

    def changed(self, version: int, fingerprint: InputFingerprint) -> AbstractSet[str] | None:
        """Keys of the posts that are new or made of something else; None where everything has to be looked at."""
        if (version, fingerprint.setting) != (self.version, self.setting):
            return None
        known = dict(zip(self.posts[::2], self.posts[1::2], strict=True))
        if known.keys() - {hash(key) for key in fingerprint.posts}:
            return None
        return {key for key, made in fingerprint.posts.items() if known.get(hash(key)) != made}
