"""How much of a match one unit of work may touch: what is beyond that follows in further units, each complete in itself.

A liveblog's posts are shared out in the order of play, what has vanished first, so that the newest ones come in one step
with the scoreboard.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace

from ingest.sync.snapshot import CachedInputs
from mapping.posts.posts import Timed
from store.following import ledger
from store.timeline.timeline import PostTime

LOOK = 500
"""Posts of a liveblog that one unit looks at; where there are more to be looked at, `BATCH` at a time."""
BATCH = 100
LEAST = 5
"""Posts for which a liveblog counts at least: it is locked, whatever there is to be done."""


@dataclass(frozen=True, slots=True)
class RemainingWork:
    """What is left of a liveblog after a batch. `whole`: with all that is beside its posts at the end.

    `version`: of the liveblog after the batch.
    """

    keys: tuple[str, ...]
    whole: bool
    version: int


@dataclass(frozen=True, slots=True)
class PostBatch:
    """Posts that one unit looks at, all of them where `keys` is None. `left`: those of the units after it.

    `whole`: the last unit looks at the liveblog itself as well. `imports`: all people and teams of the match are imported
    before it, as they are before the first batch, so that they are known to the others.
    """

    keys: AbstractSet[str] | None
    whole: bool
    imports: bool
    left: tuple[str, ...] = ()

    @property
    def with_board(self) -> bool:
        """Whether this unit looks at the liveblog itself."""
        return self.whole and not self.left

    @property
    def rows(self) -> AbstractSet[str] | None:
        """Keys of the ledger that are needed, None for all."""
        return {*self.keys, ledger.GAME_KEY} if self.keys is not None and self.with_board else self.keys


def next_batch(
    known: Iterable[str], timed: Iterable[Timed], *, only: AbstractSet[str] | None, rest: RemainingWork | None
) -> PostBatch:
    """What the next unit looks at.

    `known`: the keys of the ledger; `timed`: what there is to be posted, in order; `only`: what of it can have changed,
    None where anything can have.
    """
    if rest is not None:
        return _first_of(rest.keys, whole=rest.whole, imports=rest.whole and len(rest.keys) <= BATCH)
    if only is not None and len(only) <= LOOK:
        return PostBatch(keys=only, whole=False, imports=False)
    if only is not None:
        keys = tuple(dict.fromkeys(each.key for each, _ in timed if each.key in only))
        return _first_of(keys, whole=False, imports=False)
    wanted = dict.fromkeys(each.key for each, _ in timed)
    keys = (*sorted({*known} - {*wanted, ledger.GAME_KEY}), *wanted)
    if len(keys) <= LOOK:
        return PostBatch(keys=None, whole=True, imports=True)
    return _first_of(keys, whole=True, imports=True)


def _first_of(keys: tuple[str, ...], *, whole: bool, imports: bool) -> PostBatch:
    return PostBatch(keys=frozenset(keys[:BATCH]), whole=whole, imports=imports, left=keys[BATCH:])


@dataclass(frozen=True, slots=True, kw_only=True)
class Applied:
    """What a batch did to a liveblog: the versions that it had and has, None where it was not looked at; what to cache.

    `looked`: at how many posts; `rest`: what is left of it for the next unit; `times`: of the posts that were written.
    """

    versions: tuple[int, int] | None = None
    cached: CachedInputs | None = None
    looked: int = 0
    rest: RemainingWork | None = None
    times: Sequence[PostTime] = ()

    @property
    def stepped(self) -> bool:
        """Whether the liveblog has another version now."""
        return self.versions is not None and self.versions[0] != self.versions[1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a poll has come with the liveblogs of its match: what a unit begins with and what it leaves to the next one.

    `failed`: liveblogs that cannot be brought in line, and why; they are left out. `times`: of the posts that were written;
    `versions`: those that liveblogs had and have, of those that were looked at.
    """

    finished: bool = False
    done: frozenset[str] = frozenset()
    begun: Mapping[str, RemainingWork] = field(default_factory=dict)
    cached: Mapping[str, CachedInputs] = field(default_factory=dict)
    failed: Mapping[str, str] = field(default_factory=dict)
    times: tuple[PostTime, ...] = ()
    versions: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    def after(self, game_id: str, applied: Applied) -> Progress:
        """With this batch of the liveblog."""
        kept = {} if applied.cached is None else {game_id: applied.cached}
        return replace(
            self,
            done=self.done if applied.rest else self.done | {game_id},
            begun={game_id: applied.rest} if applied.rest else {},
            cached={**self.cached, **kept},
            times=(*self.times, *applied.times),
            versions={**self.versions, **self._since(game_id, applied.versions)},
        )

    def _since(self, game_id: str, versions: tuple[int, int] | None) -> dict[str, tuple[int, int]]:
        """Of several batches: what stood before the first, and what stands after this one."""
        return {} if versions is None else {game_id: (self.versions.get(game_id, versions)[0], versions[1])}

    def without(self, game_id: str, cause: str) -> Progress:
        """Going on without a liveblog that cannot be brought in line."""
        return replace(self, done=self.done | {game_id}, begun={}, failed={**self.failed, game_id: cause})
