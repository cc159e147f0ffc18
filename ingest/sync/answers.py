"""What the answers of a poll add to what is stored of a match: bodies, health, belief, state."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from itertools import islice

from ingest.sync.snapshot import Snapshot
from mapping.fusion.leading_source import SourceHealth
from mapping.match.match import Fault
from providers.base import Answer, Outcome
from store.engine.statements import TableWrite
from store.engine.unit import Unit
from store.following import sync
from store.timeline import timeline
from store.timeline.timeline import Decision

FAULTS_KEPT = 1000
"""Rows left out of a body that the store names, at most."""


def save_answers(
    unit: Unit,
    follow_id: str,
    snapshot: Snapshot,
    *,
    closing: bool = False,
    versions: Mapping[str, tuple[int, int]] | None = None,
    created: str = "",
) -> None:
    """Save what the answers add: changed resources, health of all, what is believed, the state of the match.

    For the record of what was decided: `versions`, those that liveblogs had and have, and the liveblog that is `created`.
    """
    versions = versions or {}
    # Recorded are answers that have changed a body, what is believed or a liveblog, and the end.
    stepped = any(before != after for before, after in versions.values())
    new = closing or created or stepped or snapshot.belief is not None or snapshot.packed
    save_health(unit, follow_id, snapshot.answers, snapshot.match.faults, snapshot.packed)
    if snapshot.set_again:
        sync.forget_rows(unit, follow_id)
    if snapshot.belief is not None:
        sync.save_belief(unit, follow_id, snapshot.belief)
    sync.save_follow(
        unit,
        follow_id,
        sport=snapshot.match.sport,
        status=snapshot.match.sent_status.value,
        pending=snapshot.pending,
        beside=decision_rows(unit, follow_id, snapshot, versions, created) if new else [],
        good_at=unit.now,
        **({"changed_at": unit.now} if snapshot.changed else {}),
        **({} if snapshot.match.kickoff is None else {"kickoff": snapshot.match.kickoff}),
        **({} if snapshot.hints is None else {"hints": dict(snapshot.hints)}),
        **({"teams": teams} if (teams := sync.teams_text(snapshot.match)) else {}),
    )


def decision_rows(  # noqa: PLR0917 -- what a row is made of
    unit: Unit,
    follow_id: str,
    snapshot: Snapshot,
    versions: Mapping[str, tuple[int, int]],
    created: str = "",
    health: Mapping[str, SourceHealth] | None = None,
) -> list[TableWrite]:
    """The record of what was decided upon the answers, or upon how sources answer; nothing where there is no timeline."""
    times = snapshot.times
    if times is None:
        return []
    decision = Decision(
        follow_id=follow_id,
        answered_at=times.answered,
        believed_at=times.believed,
        written_at=unit.now,
        pending=snapshot.pending,
        answers={name: list(each) for name, each in times.standing.items()} if health is None else {},
        versions={name: list(each) for name, each in versions.items()},
        created=created,
        health=None if health is None else {name: asdict(each) for name, each in health.items()},
    )
    return timeline.decision_row(decision)


def save_failure(unit: Unit, follow_id: str, cause: str | None) -> None:
    """Save why the match, or one of its liveblogs, is left out; None: nothing is left out any more."""
    since = None if cause is None else unit.now
    sync.save_follow(unit, follow_id, last_error=cause, failing_since=since)


def save_health(
    unit: Unit,
    follow_id: str,
    answers: Iterable[Answer],
    faults: tuple[Fault, ...] = (),
    packed: Mapping[str, bytes] | None = None,
) -> None:
    """Save what the answers say of each resource: last good, last change, failures in a row, rows left out."""
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
            etag = answer.etag or row.etag if row.digest else None  # what is to be fetched afresh stays so
            return replace(row, etag=etag, good_at=now, failures=0, last_error=None)
        case Outcome.CHANGED:
            return sync.ResourceRow(
                name=row.name,
                etag=answer.etag,
                digest=answer.digest,
                rows=answer.rows,
                good_at=now,
                changed_at=now,
                faults=[
                    {"row": fault.row, "field": fault.field, "reason": fault.reason}
                    for fault in islice((each for each in faults if each.resource == answer.resource), FAULTS_KEPT)
                ],
            )
