"""Brings one liveblog in line with what is believed of its match, in the unit that locks the liveblog."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import partial
from typing import Any

from ingest.sync.ledger_posts import LedgerPosts, block_id, post_times
from ingest.sync.snapshot import CachedInputs, Snapshot
from mapping.belief.goals import without_marks
from mapping.belief.match_course import is_before_start
from mapping.documents.import_options import ImportOptions
from mapping.errors import NotFound
from mapping.liveblog.prefill import game_document, synced_parts
from mapping.match.references import References
from mapping.posts.belief_from_posts import as_posted, match_reissued
from mapping.posts.merge import Document, merge_game, same
from mapping.posts.posts import SCORE, TEXT, Timed, in_order, wanted_posts
from mapping.posts.reconcile import Changes, Stored, reconcile, with_deletion
from mapping.posts.withdrawal_notes import Notes, WithdrawalRules
from store.engine.liveblog_records import EventWrite, StoredEvent, StoredGame, check_document
from store.engine.unit import Unit
from store.following import ledger
from store.liveblogs import liveblogs
from store.timeline import timeline
from store.timeline.timeline import PostTime

ReferencesOf = Callable[[AbstractSet[str] | None], References]
"""The `_id`s that stand for people and teams of the incidents with these keys, None for all of the match."""


NewId = Callable[[], str]
LOOK = 500
"""Posts of a liveblog that one unit looks at; where there are more to be looked at, `BATCH` at a time."""
BATCH = 100


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
        keys, whole, imports = rest.keys, rest.whole, rest.whole and len(rest.keys) <= BATCH
    elif only is not None and len(only) <= LOOK:
        return PostBatch(keys=only, whole=False, imports=False)
    elif only is not None:
        keys, whole, imports = tuple(dict.fromkeys(each.key for each, _ in timed if each.key in only)), False, False
    else:
        wanted = dict.fromkeys(each.key for each, _ in timed)
        keys, whole, imports = (*sorted({*known} - {*wanted, ledger.GAME_KEY}), *wanted), True, True
        if len(keys) <= LOOK:
            return PostBatch(keys=None, whole=True, imports=True)
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


def sync_liveblog(
    unit: Unit,
    game_id: str,
    snapshot: Snapshot,
    terms: ImportOptions,
    references: ReferencesOf,
    *,
    new_id: NewId,
    closing: bool = False,
    cached: CachedInputs | None = None,
    rest: RemainingWork | None = None,
    withdrawals: WithdrawalRules | None = None,
) -> Applied:
    """Bring one liveblog in line with the snapshot: at most one version step, none where nothing changes.

    With `cached`, only the posts that are made of something else than then are read and compared. Of very many posts one
    batch is looked at; `rest` is what the last one has left. `withdrawals`: what goals that are taken back leave, None for
    nothing. One that is paused stays as it is.
    """
    game = None if terms.paused else _lock_liveblog(unit, game_id)
    if game is None:
        return Applied()
    only: AbstractSet[str] | None = None
    if cached is not None and rest is None and not closing:
        only = cached.changed(game.version, snapshot.fingerprint(terms))
        if only == frozenset():
            return Applied(cached=cached)
    notes = None if withdrawals is None else withdrawals.notes(game.organization_id, terms)
    liveblog = LiveblogSync(unit, game, snapshot, terms, references, new_id, closing, notes)
    return liveblog.apply(next_batch(liveblog.adopt(only, rest), snapshot.timed(terms), only=only, rest=rest), rest)


def _lock_liveblog(unit: Unit, game_id: str) -> StoredGame | None:
    """The liveblog, locked so that nobody edits what is merged; None for one that is gone. Raises UnreadableRow."""
    try:
        game = liveblogs.lock_game(unit, game_id)
    except NotFound:
        return None
    check_document(game)
    return game


@dataclass(frozen=True, slots=True)
class LiveblogSync:
    """Brings a liveblog, locked in this unit, in line with the snapshot, batch by batch."""

    unit: Unit
    game: StoredGame
    snapshot: Snapshot
    terms: ImportOptions
    references: ReferencesOf
    new_id: NewId
    closing: bool
    notes: Notes | None

    def adopt(self, only: AbstractSet[str] | None, rest: RemainingWork | None) -> AbstractSet[str]:
        """Put the rows of posts that have other ids now under their new keys; gives all keys of the ledger.

        `only`: keys of the posts that can be new, None where any can be. It is done before the first batch, for all.
        """
        if rest is not None:
            return frozenset()
        known = frozenset(ledger.keys(self.unit.conn, self.game.id))
        there = dict.fromkeys(each.key for each, _ in self.snapshot.timed(self.terms))
        new = frozenset(there if only is None else only) - known
        vanished = known - there.keys() - {ledger.GAME_KEY}
        if not new or not vanished:
            return known
        before = LedgerPosts.read(self.unit.conn, self.game.id, vanished)
        # a post that a person has deleted, or a note that one has hidden, counts as gone
        entries = [with_deletion(each, before.stored.get(each.local_id)) for each in before.entries.values()]
        masters = self.references(new)
        match = masters.correct(self.snapshot.match)
        posts = wanted_posts(match, self.terms, masters, block_id=partial(block_id, self.game.id), only=new)
        keys = match_reissued(posts, entries)
        ledger.rename(self.unit, self.game.id, keys)
        return known.difference(keys.values()).union(keys)

    def apply(self, batch: PostBatch, rest: RemainingWork | None) -> Applied:
        """Look at one batch, after which `rest` was left of the batches before it, and write what has to change."""
        before = LedgerPosts.read(self.unit.conn, self.game.id, batch.rows)
        masters = self.references(None if batch.imports else batch.keys)
        match = masters.correct(self.snapshot.match)
        if self.notes is None or self.notes.silent:
            match = without_marks(match)
        timed = self.snapshot.timed(self.terms) if match is self.snapshot.match else in_order(match, self.terms)
        make = partial(
            wanted_posts, match, self.terms, masters, block_id=partial(before.block_id, self.game.id), timed=timed
        )
        posts = tuple(as_posted(make(only=batch.keys), match, before.entries))
        wanted = {TEXT: self.terms.text, SCORE: not self.terms.exclude_scoreboard}
        changes = reconcile(
            posts,
            before.entries,
            before.stored,
            new_id=self.new_id,
            closing=self.closing,
            editorial=(self.game.document.get("meta_info") or {}).get("editorial_publishing") is True,
            left_out=frozenset(source for source, is_wanted in wanted.items() if not is_wanted),
            notes=None
            if is_before_start(self.snapshot.match)
            else self.notes,  # of one that is set again nothing is left
            now=self.unit.now,
        )
        parts = synced_parts(game_document(match, self.terms, masters), self.terms) if batch.with_board else {}
        version, times = self._write(before, changes, parts)
        left = RemainingWork(batch.left, whole=batch.whole, version=version) if batch.left else None
        undisturbed = rest is None or rest.version == self.game.version  # nobody else wrote between the batches
        cached = (
            CachedInputs.of(version, self.snapshot.fingerprint(self.terms)) if undisturbed and left is None else None
        )
        return Applied(
            versions=(self.game.version, version),
            cached=cached,
            looked=len(before.entries.keys() | {post.key for post in posts}),
            rest=left,
            times=times,
        )

    def _write(self, before: LedgerPosts, changes: Changes, parts: Document) -> tuple[int, Sequence[PostTime]]:
        """Write events, document and ledger, as far as they change; returns the liveblog's version after it.

        Also the timeline's rows of the posts that were written, which are written with them.
        """
        version, writes = self.game.version, tuple(self._event_write(event, before) for event in changes.events)
        merged = merge_game(before.game, self.game.document, parts)
        document = None if same(merged, self.game.document) else merged
        if writes or document is not None:
            version = liveblogs.rewrite(self.unit, self.game, writes, document=document, known=before.events).version
        rows = self._post_rows(before, changes, writes)
        said = {**before.game, **parts}
        if said != before.game:
            rows.append(ledger.row_of_game(said))
        times: Sequence[PostTime] = ()
        if self.snapshot.times is not None and writes:
            times = post_times(self.snapshot.times, self.snapshot.match, changes, before, writes, self.game.id, version)
        ledger.save(self.unit, self.game.id, rows, beside=timeline.post_rows(times))
        return version, times

    def _post_rows(self, before: LedgerPosts, changes: Changes, writes: Iterable[EventWrite]) -> list[ledger.LedgerRow]:
        """The rows that change, with the time of each event, or the one that the provider's would have without a person."""
        moved = before.moved()
        placed = dict(before.placed)
        events: Iterable[StoredEvent | EventWrite] = (*before.events.values(), *writes)
        for event in events:
            if event.local_id not in moved:
                placed[event.local_id] = event.created_at
        for entry in changes.entries:
            claimed = entry.said.get("created_at")
            if entry.local_id in moved and claimed not in {None, before.entries[entry.key].said.get("created_at")}:
                placed[entry.local_id] = min(self.unit.now, claimed)
        return [ledger.row_of(entry, placed[entry.local_id]) for entry in changes.entries]

    def _event_write(self, event: Stored, before: LedgerPosts) -> EventWrite:
        known, claimed, now = before.stored.get(event.local_id), event.document.get("created_at"), self.unit.now
        stays = known is not None and claimed in {None, known.document.get("created_at")}
        placed = min(now, now if claimed is None else claimed)
        written: dict[str, Any] = {
            "document": event.document,
            "local_status": event.local_status,
            "user_id": self.snapshot.match.provider,
        }
        if known is None:
            return EventWrite.new(local_id=event.local_id, created_at=placed, **written)
        stored = before.events[event.local_id]
        return stored.rewritten(created_at=stored.created_at if stays else placed, **written)
