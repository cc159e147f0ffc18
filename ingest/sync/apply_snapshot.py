"""One liveblog is brought in line with what is believed of its match, in the unit that locks it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import partial
from typing import Any

from ingest.sync.batches import Applied, PostBatch, RemainingWork, next_batch
from ingest.sync.ledger_posts import LedgerPosts, block_id, post_times
from ingest.sync.snapshot import CachedInputs, Snapshot
from mapping.belief.goals import without_marks
from mapping.belief.set_again import is_before_start
from mapping.documents.import_options import ImportOptions
from mapping.errors import NotFound
from mapping.liveblog.prefill import game_document, synced_parts
from mapping.match.match import Match
from mapping.match.references import References
from mapping.posts.disallowed import Notes, WithdrawalRules
from mapping.posts.from_posts import as_posted
from mapping.posts.merge import Document, merge_game, same
from mapping.posts.posts import SCORE, TEXT, in_order, wanted_posts
from mapping.posts.reconcile import Changes, Entry, Stored, reconcile, with_deletion
from mapping.posts.reissued import match_reissued
from store.engine.records import check_document
from store.engine.unit import Unit
from store.following import ledger
from store.liveblogs import liveblogs
from store.timeline import timeline
from store.timeline.timeline import PostTime

ReferencesOf = Callable[[AbstractSet[str] | None], References]
"""The `_id`s that stand for people and teams of the incidents with these keys, None for all of the match."""


NewId = Callable[[], str]


def leave_nothing(_terms: ImportOptions) -> Notes | None:
    """No goal that is taken back leaves a note."""
    return None


def rules_of(withdrawals: WithdrawalRules | None, organization_id: str) -> Callable[[ImportOptions], Notes | None]:
    """How notes are made in the organization's liveblogs; without rules none is made."""
    return leave_nothing if withdrawals is None else partial(withdrawals.notes, organization_id)


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
    withdrawals: Callable[[ImportOptions], Notes | None] = leave_nothing,
) -> Applied:
    """Bring one liveblog in line with the snapshot: at most one version step, none where nothing changes.

    With `cached`, only the posts that are made of something else than then are read and compared. Of very many posts one
    batch is looked at; `rest` is what the last one has left. `withdrawals`: how notes on goals that are taken back are made.
    One that is paused stays as it is.
    """
    game = None if terms.paused else _locked(unit, game_id)
    if game is None:
        return Applied()
    only: AbstractSet[str] | None = None
    if cached is not None and rest is None and not closing:
        only = cached.changed(game.version, snapshot.fingerprint(terms))
        if only == frozenset():
            return Applied(cached=cached)
    liveblog = LiveblogSync(unit, game, snapshot, terms, references, new_id, closing, withdrawals(terms))
    return liveblog.apply(next_batch(liveblog.adopt(only, rest), snapshot.timed(terms), only=only, rest=rest), rest)


def _locked(unit: Unit, game_id: str) -> liveblogs.StoredGame | None:
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
    game: liveblogs.StoredGame
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
        entries = self._vanished(vanished)
        masters = self.references(new)
        match = masters.correct(self.snapshot.match)
        posts = wanted_posts(match, self.terms, masters, block_id=partial(block_id, self.game.id), only=new)
        keys = match_reissued(posts, entries)
        ledger.rename(self.unit, self.game.id, keys)
        return known.difference(keys.values()).union(keys)

    def _vanished(self, keys: AbstractSet[str]) -> list[Entry]:
        """The lines of these keys; a post that a person has deleted, or a note that one has hidden, counts as gone."""
        before = LedgerPosts.read(self.unit.conn, self.game.id, keys)
        return [with_deletion(each, before.stored.get(each.local_id)) for each in before.entries.values()]

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
        changes = reconcile(
            posts,
            before.entries,
            before.stored,
            new_id=self.new_id,
            closing=self.closing,
            editorial=self._editorial,
            left_out=self._left_out,
            notes=self._notes,
            now=self.unit.now,
        )
        parts = self._wanted_parts(match, masters) if batch.with_board else {}
        version, times = self._write(before, changes, parts)
        left = RemainingWork(batch.left, whole=batch.whole, version=version) if batch.left else None
        return Applied(
            versions=(self.game.version, version),
            cached=self._inputs(version, rest) if left is None else None,
            looked=len(before.entries.keys() | {post.key for post in posts}),
            rest=left,
            times=times,
        )

    def _inputs(self, version: int, rest: RemainingWork | None) -> CachedInputs | None:
        """What the liveblog is made of now; None where somebody else wrote between the batches."""
        undisturbed = rest is None or rest.version == self.game.version
        return CachedInputs.of(version, self.snapshot.fingerprint(self.terms)) if undisturbed else None

    @property
    def _left_out(self) -> AbstractSet[str]:
        """Sources whose posts nobody wants now."""
        wanted = {TEXT: self.terms.text, SCORE: not self.terms.exclude_scoreboard}
        return frozenset(source for source, is_wanted in wanted.items() if not is_wanted)

    @property
    def _notes(self) -> Notes | None:
        """How notes are made; of a match that is set again nothing is left."""
        return None if is_before_start(self.snapshot.match) else self.notes

    @property
    def _editorial(self) -> bool:
        """Whether posts wait until an editor publishes them (`editorial_publishing`)."""
        return (self.game.document.get("meta_info") or {}).get("editorial_publishing") is True

    def _wanted_parts(self, match: Match, masters: References) -> Document:
        """The parts of the liveblog's own document that follow the match."""
        return synced_parts(game_document(match, self.terms, masters), self.terms)

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
        times = self._times(before, changes, writes, version)
        ledger.save(self.unit, self.game.id, rows, beside=timeline.post_rows(times))
        return version, times

    def _times(
        self, before: LedgerPosts, changes: Changes, writes: Sequence[liveblogs.EventWrite], version: int
    ) -> Sequence[PostTime]:
        times, match = self.snapshot.times, self.snapshot.match
        if times is None or not writes:
            return ()
        return post_times(times, match, changes, before, writes, game_id=self.game.id, version=version)

    def _post_rows(
        self, before: LedgerPosts, changes: Changes, writes: Iterable[liveblogs.EventWrite]
    ) -> list[ledger.LedgerRow]:
        """The rows that change, with the time of each event, or the one that the provider's would have without a person."""
        moved = before.moved()
        placed = dict(before.placed)
        events: Iterable[liveblogs.StoredEvent | liveblogs.EventWrite] = (*before.events.values(), *writes)
        for event in events:
            if event.local_id not in moved:
                placed[event.local_id] = event.created_at
        for entry in changes.entries:
            claimed = entry.said.get("created_at")
            if entry.local_id in moved and claimed not in {None, before.entries[entry.key].said.get("created_at")}:
                placed[entry.local_id] = min(self.unit.now, claimed)
        return [ledger.row_of(entry, placed[entry.local_id]) for entry in changes.entries]

    def _event_write(self, event: Stored, before: LedgerPosts) -> liveblogs.EventWrite:
        known, claimed, now = before.stored.get(event.local_id), event.document.get("created_at"), self.unit.now
        stays = known is not None and claimed in {None, known.document.get("created_at")}
        placed = min(now, now if claimed is None else claimed)
        written: dict[str, Any] = {
            "document": event.document,
            "local_status": event.local_status,
            "user_id": self.snapshot.match.provider,
        }
        if known is None:
            return liveblogs.EventWrite.new(local_id=event.local_id, created_at=placed, **written)
        stored = before.events[event.local_id]
        return stored.rewritten(created_at=stored.created_at if stays else placed, **written)
