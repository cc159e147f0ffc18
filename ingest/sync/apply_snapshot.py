"""One unit of the sync: a match's last good snapshot meets every liveblog that is attached to it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from ingest.sync.batches import GAME_KEY, LEAST, LOOK, Applied, PostBatch, Progress, Rest, next_batch
from ingest.sync.change_cache import CachedInputs
from ingest.sync.stored_rows import board_of, check_event, check_game, entry_of, placed_of, terms_of
from mapping.board import EVERYTHING, Board, BoardChange, reconcile_board, synced
from mapping.errors import DownstreamRejected, InvalidRequest, NotFound, StoreUnavailable
from mapping.posts import wanted
from mapping.prefill import game_document
from mapping.reconcile import Entry, State, Stored, reconcile
from mapping.sports import absorbed_by
from providers.base import Answer, Outcome
from store import liveblogs, masterdata, sync
from store.errors import brief_reason, transient

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from ingest.sync.snapshot import Snapshot
    from mapping.match import Fault, Match
    from mapping.posts import Post
    from mapping.references import References
    from mapping.terms import Terms
    from store.unit import Unit

NewId = Callable[[], str]

EVENT_TYPE = "Svc::Model::Event"
BEGINNING = Progress()

FAULTS_KEPT = 1000
"""Rows left out of a body that the store names, at most."""


class LiveblogFailed(Exception):
    """One liveblog of a match cannot be brought in line, for a reason that will not pass; `cause` says it."""

    def __init__(self, game_id: str, cause: str) -> None:
        super().__init__(game_id, cause)
        self.game_id = game_id
        self.cause = cause


def apply(
    unit: Unit,
    follow_id: str,
    snapshot: Snapshot,
    *,
    new_id: NewId,
    closing: bool = False,
    cached: Mapping[str, CachedInputs] | None = None,
    progress: Progress = BEGINNING,
) -> Progress:
    """Bring the liveblogs on the match in line with the snapshot and remember the answers, as far as one unit goes.

    Ordinarily that is everything, in one transaction. Where there is more than a unit should do, the answers are only
    saved by the last one; until then the match is noted as one to be looked at again, so that nothing is lost with
    the process. `cached`: what the last poll of this process left of the liveblogs. Raises LiveblogFailed.
    """
    known = cached or {}
    masters = Masters(unit, snapshot.match)
    room = LOOK
    for attachment in sync.attachments_of(unit.conn, follow_id):
        if attachment.game_id in progress.done:
            continue
        if room <= 0:
            return _unfinished(unit, follow_id, progress)
        with _blamed(attachment.game_id):
            applied = sync_liveblog(
                unit,
                attachment.game_id,
                snapshot,
                terms_of(attachment),
                partial(masters.references, attachment.organization_id),
                new_id=new_id,
                closing=closing,
                cached=known.get(attachment.game_id),
                rest=progress.begun.get(attachment.game_id),
            )
        progress = progress.after(attachment.game_id, applied)
        if applied.rest is not None:
            return _unfinished(unit, follow_id, progress)
        room -= max(applied.looked, LEAST)
    remember(unit, follow_id, snapshot, pending=progress.pending, closing=closing)
    return replace(progress, finished=True)


def _unfinished(unit: Unit, follow_id: str, progress: Progress) -> Progress:
    """More is to be done: whoever takes the match up from here looks at everything again."""
    sync.save_follow(unit, follow_id, pending=True)
    return progress


@contextmanager
def _blamed(game_id: str) -> Iterator[None]:
    """What fails for good is the fault of this liveblog alone; what passes by itself is nobody's.

    A match of which no liveblog can be made is the provider's.
    """
    try:
        yield
    except (DownstreamRejected, InvalidRequest, StoreUnavailable):
        raise
    except Exception as error:
        if transient(error):
            raise
        raise LiveblogFailed(game_id, brief_reason(error)) from error


class Masters:
    """The master data of a match, imported once for each organization, and only where somebody needs all of it."""

    def __init__(self, unit: Unit, match: Match) -> None:
        self._unit = unit
        self._match = match
        self._imported: dict[str, References] = {}

    def references(self, owner_id: str, only: AbstractSet[str] | None) -> References:
        """What stands for the people and teams of the match, or of the incidents `only`, whose squads are in already."""
        match = self._match
        if only is not None:
            involved = [incident for incident in match.incidents if incident.key in only]
            return masterdata.references(self._unit.conn, owner_id, match, involved)
        if owner_id not in self._imported:
            self._imported[owner_id] = masterdata.import_match(
                self._unit, owner_id=owner_id, source=match.provider, match=match
            )
        return self._imported[owner_id]


def sync_liveblog(
    unit: Unit,
    game_id: str,
    snapshot: Snapshot,
    terms: Terms,
    references: Callable[[AbstractSet[str] | None], References],
    *,
    new_id: NewId,
    closing: bool = False,
    cached: CachedInputs | None = None,
    rest: Rest | None = None,
) -> Applied:
    """Bring one liveblog in line with the snapshot: at most one version step, none where nothing changes.

    Where it is `cached`, only the posts that are made of something else than then are read and compared. Of very many
    posts one batch is looked at; `rest` is what the last one has left.
    """
    try:
        game = liveblogs.lock_game(unit, game_id)  # so that nobody edits what is merged here
    except NotFound:
        return Applied()
    check_game(game)
    match, fingerprint = snapshot.match, snapshot.fingerprint(terms)
    fresh = cached is None or closing or rest is not None
    only = None if fresh or cached is None else cached.changed(game.version, fingerprint)
    if only is not None and not only:
        return Applied(cached=cached)
    told = snapshot.told(terms)
    batch = next_batch(unit.conn, game_id, told, only=only, rest=rest)
    lines = sync.ledger(unit.conn, game_id, only=batch.lines)
    entries = {key: entry_of(line) for key, line in lines.items() if key != GAME_KEY}
    placed = {line.local_id: placed_of(line) for line in lines.values() if line.local_id is not None}
    events = liveblogs.events_named(unit.conn, [entry.local_id for entry in entries.values()])
    stored, times = _stored(events, entries, placed)
    # Everything is imported before the first batch, and known to the others.
    masters = references(None if batch.whole or (only is None and rest is None) else batch.keys)
    make = partial(wanted, match, terms, masters, block_id=partial(block_id, game_id), told=told)
    posts = make(only=batch.keys)
    changes = reconcile(
        posts,
        entries,
        stored,
        good=snapshot.good,
        new_id=new_id,
        unreadable=match.unreadable,
        closing=closing,
        beside=_beside(match, [entries[key] for key in entries.keys() - fingerprint.posts.keys()], batch, make),
    )
    board = board_of(lines.get(GAME_KEY))
    change = BoardChange(board=board)
    if batch.whole:
        document = synced(game_document(match, terms, masters), terms)
        change = reconcile_board(board, game.document, document, good="play" in snapshot.good)
    version = game.version
    stepped = bool(changes.events) or change.document is not None
    if stepped:
        writes = [_write(event, stored, times, unit.now, match.provider) for event in changes.events]
        made = liveblogs.Change(game=change.document, events=tuple(writes))
        version = liveblogs.write(unit, game, made, known=events).version
        times |= {write.local_id: write.created_at for write in writes}
    own = {entry.local_id for entry in changes.entries} - _moved(entries, stored)
    placed |= {local_id: times[local_id] for local_id in own if local_id in times}
    rows = [_line(entry, placed[entry.local_id]) for entry in changes.entries]
    rows += [_board_line(change.board)] if change.board != board else []
    if rows:
        sync.save_ledger(unit, game_id, rows)
    settled = changes.settled and not change.pending
    if rest is not None:  # nobody else may have written in between
        settled = settled and rest.settled and rest.version == game.version
    whole = batch.whole or (only is None if rest is None else rest.whole)
    return Applied(
        stepped=stepped,
        pending=changes.pending or change.pending,
        cached=CachedInputs.of(version, fingerprint) if settled and not batch.left else None,
        looked=len(entries.keys() | {post.key for post in posts}),
        rest=Rest(batch.left, whole=whole, version=version, settled=settled) if batch.left else None,
    )


def _beside(
    match: Match, gone: Iterable[Entry], batch: PostBatch, make: Callable[..., tuple[Post, ...]]
) -> Iterable[Post]:
    """Posts of other batches that may be why these are gone (mapping.sports.absorbed_by)."""
    kinds = {absorbed_by(entry.kind) for entry in gone} - {None}
    if batch.keys is None or not kinds:
        return ()
    return make(only={incident.key for incident in match.incidents if incident.kind in kinds})


def start_ledger(unit: Unit, game_id: str, document: Mapping[str, Any]) -> None:
    """Remember that the sync itself wrote the pre-filled liveblog, also the parts that it keeps up to date only later."""
    parts = {name: document[name] for name in EVERYTHING if name in document}
    sync.save_ledger(unit, game_id, [_board_line(Board(written=parts))])


def remember(unit: Unit, follow_id: str, snapshot: Snapshot, *, pending: bool, closing: bool = False) -> None:
    """Keep what the answers add: bodies and validators of changed resources, health of all, the state of the match."""
    note_health(unit, follow_id, snapshot.answers, snapshot.match.faults, snapshot.packed)
    changed = any(answer.outcome is Outcome.CHANGED for answer in snapshot.answers)
    sync.save_follow(
        unit,
        follow_id,
        sport=snapshot.match.sport,
        status=snapshot.match.status.value,
        pending=pending,
        good_at=unit.now,
        **({"changed_at": unit.now} if changed else {}),
        **({} if snapshot.match.kickoff is None else {"kickoff": snapshot.match.kickoff}),
        **({} if snapshot.hints is None else {"hints": dict(snapshot.hints)}),
        **({"closed_at": unit.now} if closing else {}),
    )


def note_failure(unit: Unit, follow_id: str, cause: str | None) -> None:
    """Keep why the match, or one of its liveblogs, is left out; None: nothing is any more."""
    since = None if cause is None else unit.now
    sync.save_follow(unit, follow_id, last_error=cause, failing_since=since)


def note_health(
    unit: Unit,
    follow_id: str,
    answers: Iterable[Answer],
    faults: tuple[Fault, ...] = (),
    packed: Mapping[str, bytes] | None = None,
) -> None:
    """Keep what the answers say of each resource: last good, last change, failures in a row, rows left out."""
    known = sync.resources(unit.conn, follow_id)
    rows = ((known.get(answer.resource, sync.ResourceRow(name=answer.resource)), answer) for answer in answers)
    after = [(resource_after(row, answer, faults, unit.now), answer.body) for row, answer in rows]
    sync.save_resources(unit, follow_id, after, packed)


def resource_after(row: sync.ResourceRow, answer: Answer, faults: Iterable[Fault], now: int) -> sync.ResourceRow:
    """What is known of a resource after this answer: a good body replaces the last one, a failure only counts."""
    match answer.outcome:
        case Outcome.FAILED:
            return replace(row, failures=row.failures + 1, last_error=str(answer.error))
        case Outcome.UNCHANGED:
            etag = answer.etag or row.etag if row.digest else None  # what is to be looked at afresh stays so
            return replace(row, etag=etag, good_at=now, failures=0, last_error=None)
        case Outcome.CHANGED:
            skipped = [
                {"row": fault.row, "field": fault.field, "reason": fault.reason}
                for fault in faults
                if fault.resource == answer.resource
            ][:FAULTS_KEPT]
            return sync.ResourceRow(
                name=row.name,
                etag=answer.etag,
                digest=answer.digest,
                rows=answer.rows,
                good_at=now,
                changed_at=now,
                faults=skipped,
            )


def block_id(game_id: str, key: str, part: str) -> str:
    """The `local_id` of a block that the sync writes: the same for the same part of the same post, in this liveblog alone."""
    return "b" + sha256(f"{game_id}\x1f{key}\x1f{part}".encode()).hexdigest()[:20]


def _stored(
    events: Mapping[str, liveblogs.StoredEvent], entries: Mapping[str, Entry], placed: Mapping[str, int]
) -> tuple[dict[str, Stored], dict[str, int]]:
    """The ledger's events as they stand now, and the times at which they stand.

    A post is placed at the provider's time, but never in the future, so that a provider whose clock is ahead puts
    nothing on top; a post that nobody moved counts as standing at the time that the provider claims.
    """
    claimed = {entry.local_id: entry.written.get("created_at") for entry in entries.values()}
    found, times = {}, {}
    for event in events.values():
        check_event(event)
        moved = event.created_at != placed.get(event.local_id)
        created_at = event.created_at if moved else claimed[event.local_id]
        document = {"_type": EVENT_TYPE, **({} if created_at is None else {"created_at": created_at}), **event.document}
        found[event.local_id] = Stored(local_id=event.local_id, document=document, local_status=event.local_status)
        times[event.local_id] = event.created_at
    return found, times


def _moved(entries: Mapping[str, Entry], stored: Mapping[str, Stored]) -> set[str]:
    """Posts that a person placed at another time."""
    return {
        entry.local_id
        for entry in entries.values()
        if entry.local_id in stored
        and stored[entry.local_id].document.get("created_at") != entry.written.get("created_at")
    }


def _write(
    event: Stored, stored: Mapping[str, Stored], times: Mapping[str, int], now: int, provider: str
) -> liveblogs.EventWrite:
    before, claimed = stored.get(event.local_id), event.document.get("created_at")
    stays = before is not None and claimed in {None, before.document.get("created_at")}
    return liveblogs.EventWrite(
        local_id=event.local_id,
        document=event.document,
        local_status=event.local_status,
        created_at=times[event.local_id] if stays else min(now, now if claimed is None else claimed),
        user_id=provider,
    )


def _line(entry: Entry, placed: int) -> sync.LedgerRow:
    written = {
        "source": entry.source,
        "document": entry.written,
        "status": entry.written_status,
        "placed": placed,
    }
    return sync.LedgerRow(
        key=entry.key,
        kind=entry.kind,
        local_id=entry.local_id,
        state=entry.state.value,
        missing=entry.missing,
        reason=entry.reason,
        written=written if entry.restore_status is None else {**written, "restore": entry.restore_status},
    )


def _board_line(board: Board) -> sync.LedgerRow:
    return sync.LedgerRow(
        key=GAME_KEY,
        kind=GAME_KEY,
        local_id=None,
        state=State.POSTED.value,
        missing=0,
        reason="",
        written={"document": board.written, "doubted": board.doubted},
    )
