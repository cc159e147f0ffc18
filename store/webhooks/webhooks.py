"""Subscriptions: receivers of an organization's updates, and how their deliveries have ended."""

from __future__ import annotations

import base64
import itertools
import secrets as random
from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal, get_args

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Connection,
    Integer,
    Row,
    Text,
    and_,
    bindparam,
    case,
    delete,
    exists,
    func,
    insert,
    literal_column,
    or_,
    select,
    union_all,
    update,
)

from mapping.errors import NotFound, Unprocessable
from store.engine.columns import read
from store.engine.errors import UnreadableRow
from store.engine.liveblog_records import new_object_id
from store.engine.statements import Among, CompiledQuery, delete_some
from store.engine.unit import Unit
from store.tables import outbox, webhook_rounds, webhook_waiting, webhooks, workers
from store.webhooks.outbox import number_committed

Status = Literal["active", "disabled"]

LIVE_SECRETS = 2
ENDED = "ended"
"""The status of what was unsubscribed and has left more than one unit should delete."""
ALL = 1_000_000_000
"""More than there are."""
FORGOTTEN = 1000
"""Rows of a subscription that ended which one unit deletes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Secret:
    """A signing secret (`whsec_…`). `until`: Unix seconds after which it signs no more; None for the newest."""

    value: str
    until: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Subscription:
    """One receiver of one organization. `cursor`: the delivery number up to which everything has had its first round."""

    id: str
    organization_id: str
    url: str
    status: Status
    secrets: tuple[Secret, ...]
    cursor: int
    failures: int
    failing_since: float | None
    outcome_at: float | None
    outcome_success: bool | None
    outcome_code: int | None
    outcome_message: str | None
    owner: str | None
    fence: int
    created_at: int
    updated_at: int

    def signing(self, now: float) -> tuple[str, ...]:
        """The secrets that sign at `now`, the newest first."""
        return tuple(each.value for each in reversed(self.secrets) if each.until is None or now < each.until)


def new_secret() -> str:
    """A signing secret of 256 random bits, as Standard Webhooks writes them."""
    return f"whsec_{base64.b64encode(random.token_bytes(32)).decode()}"


def subscribe(unit: Unit, organization_id: str, url: str, *, secret: str, limit: int) -> tuple[Subscription, bool]:
    """The subscription, active, and whether it is new: only then `secret` is taken. It gets what changes from now on.

    What is committed has its delivery number then, and what commits later gets a later one.

    One that is disabled begins anew: healthy, and without what it missed. Raises Unprocessable beyond `limit`
    subscriptions of the organization.
    """
    known = find(unit.conn, organization_id, url)
    if known is None:
        own = select(webhooks.c.id).where(webhooks.c.organization_id == organization_id).limit(limit).subquery()
        if (unit.conn.scalar(select(func.count()).select_from(own)) or 0) >= limit:
            raise Unprocessable(f"an organization has at most {limit} subscriptions", field="url")
        row = {
            "id": new_object_id(unit.now), "organization_id": organization_id, "url": url, "status": "active",
            "secrets": [_plain(Secret(value=secret))], "cursor": number_committed(unit).last, "failures": 0,
            "fence": 0, "created_at": unit.now, "updated_at": unit.now,
        }  # fmt: skip
        unit.conn.execute(insert(webhooks).values(row))
        return require(unit.conn, organization_id, url), True
    if known.status == "disabled":
        values = {
            "status": "active", "failures": 0, "failing_since": None, "cursor": number_committed(unit).last,
            "owner": None, "fence": known.fence + 1, "updated_at": unit.now,
        }  # fmt: skip
        unit.conn.execute(update(webhooks).where(webhooks.c.id == known.id).values(values))
    return require(unit.conn, organization_id, url), False


def unsubscribe(unit: Unit, organization_id: str, url: str) -> None:
    """Forget the subscription with its log; that there is none is no error, clients repeat themselves.

    A long log is detached at once and deleted bit by bit (`forget_ended`): a million rows take seconds.
    """
    known = find(unit.conn, organization_id, url)
    if known is None:
        return
    values: dict[str, Any] = {
        "status": ENDED, "organization_id": "", "url": known.id, "secrets": [], "owner": None, "fence": known.fence + 1,
    }  # fmt: skip
    unit.conn.execute(update(webhooks).where(webhooks.c.id == known.id).values(values))
    _forget(unit, known.id, FORGOTTEN)


def forget_ended(unit: Unit, *, limit: int = FORGOTTEN) -> bool:
    """Delete `limit` rows that a subscription has left, and itself when none is left; whether there may be more."""
    ended = unit.conn.scalar(select(webhooks.c.id).where(webhooks.c.status == ENDED).limit(1))
    if ended is not None:
        _forget(unit, ended, limit)
    return ended is not None


def rotate(unit: Unit, organization_id: str, url: str, *, secret: str, overlap: float) -> Subscription:
    """Sign with `secret` from now on, and for `overlap` seconds with the one before too. Raises NotFound."""
    known = require(unit.conn, organization_id, url)
    newest = known.secrets[-1:] if overlap > 0 else ()
    before = [Secret(value=each.value, until=unit.now + int(overlap)) for each in newest]
    secrets = [*before, Secret(value=secret)]
    values = {"secrets": [_plain(each) for each in secrets], "updated_at": unit.now}
    unit.conn.execute(update(webhooks).where(webhooks.c.id == known.id).values(values))
    return require(unit.conn, organization_id, url)


def find(conn: Connection, organization_id: str, url: str) -> Subscription | None:
    """The organization's subscription of exactly this URL."""
    query = select(webhooks).where(webhooks.c.organization_id == organization_id, webhooks.c.url == url)
    row = conn.execute(query).first()
    return None if row is None else subscription_of(row, strict=False)


def find_by_id(conn: Connection, webhook_id: str) -> Subscription | None:
    """The subscription with this id, None where it has ended."""
    row = conn.execute(select(webhooks).where(webhooks.c.id == webhook_id, webhooks.c.status != ENDED)).first()
    return None if row is None else subscription_of(row, strict=False)


def require(conn: Connection, organization_id: str, url: str) -> Subscription:
    """Like `find`. Raises NotFound."""
    found = find(conn, organization_id, url)
    if found is None:
        raise NotFound("there is no such subscription", field="url")
    return found


def list_subscriptions(conn: Connection, organization_id: str | None = None) -> list[Subscription]:
    """The subscriptions of an organization, or of all, oldest first."""
    query = select(webhooks).order_by(webhooks.c.created_at, webhooks.c.id)
    query = query.where(webhooks.c.status != ENDED)
    if organization_id is not None:
        query = query.where(webhooks.c.organization_id == organization_id)
    return [subscription_of(row, strict=False) for row in conn.execute(query)]


def page(conn: Connection, organization_id: str, *, after: str = "", limit: int) -> list[Subscription]:
    """The organization's subscriptions in the order of their ids, the oldest first; `after`: the id of the last one before."""
    of_page = webhooks.c.organization_id == organization_id, webhooks.c.id > after, webhooks.c.status != ENDED
    query = select(webhooks).where(*of_page).order_by(webhooks.c.id).limit(limit)
    return [subscription_of(row, strict=False) for row in conn.execute(query)]


def in_trouble(conn: Connection, organization_id: str) -> tuple[int, int]:
    """How many of the organization's subscriptions fail, and how many are disabled; none of them is read."""
    fails = (webhooks.c.status == "active") & (webhooks.c.failures > 0)
    counted = (func.count(case((each, 1))) for each in (fails, webhooks.c.status == "disabled"))
    row = conn.execute(select(*counted).where(webhooks.c.organization_id == organization_id)).one()
    return row[0], row[1]


def failing(conn: Connection, *, rounds: int, limit: int) -> list[Subscription]:
    """Active subscriptions whose last so many rounds failed, those that fail the longest first."""
    some = webhooks.c.failures > literal_column("0")  # as the index of those that fail says it
    worn = (webhooks.c.status == "active") & some & (webhooks.c.failures >= rounds)
    query = select(webhooks).where(worn).order_by(webhooks.c.failing_since, webhooks.c.id).limit(limit)
    return [subscription_of(row, strict=False) for row in conn.execute(query)]


def in_no_known_state(conn: Connection) -> dict[str, str]:
    """Subscriptions that are neither active nor disabled, with what they are; a later version may know it."""
    query = select(webhooks.c.id, webhooks.c.status).where(_OF_NO_STATUS)
    return {row.id: row.status for row in conn.execute(query)}


def unclaimed() -> ColumnElement[bool]:
    """No living process has claimed the receiver."""
    return or_(webhooks.c.owner.is_(None), ~exists().where(workers.c.id == webhooks.c.owner))


_STATUSES = sorted((*get_args(Status), ENDED))
_OF_NO_STATUS = or_(
    webhooks.c.status < _STATUSES[0],
    *(and_(webhooks.c.status > one, webhooks.c.status < other) for one, other in itertools.pairwise(_STATUSES)),
    webhooks.c.status > _STATUSES[-1],
)
"""As ranges, for which the index of statuses is used."""


def _claimable(owner: str | BindParameter[str]) -> tuple[ColumnElement[bool], ...]:
    """Active, and claimed by `owner` or by no living process."""
    return webhooks.c.status == "active", or_(webhooks.c.owner == owner, unclaimed())


_OWNER = bindparam("owner", type_=Text)
_CLAIMABLE_IDS = select(webhooks.c.id).where(*_claimable(_OWNER))
_MOST = bindparam("most", type_=Integer)
_CLAIMABLE_OF = CompiledQuery(_CLAIMABLE_IDS.where(Among(webhooks.c.organization_id, "organizations")).limit(_MOST))
_CLAIMABLE_OF_ALL = CompiledQuery(_CLAIMABLE_IDS.limit(_MOST))

_PLANNED = webhook_waiting.c.next_at <= bindparam("now"), webhook_waiting.c.next_at > bindparam("far")
_WAITING_FOR = CompiledQuery(
    select(webhooks.c.id).where(
        *_claimable(_OWNER),
        webhooks.c.id.in_(union_all(*(select(webhook_waiting.c.webhook_id).where(each) for each in _PLANNED))),
    )
)
_ORPHANED = CompiledQuery(
    select(webhooks.c.id).where(
        webhooks.c.status == "active",
        or_(webhooks.c.owner < _OWNER, webhooks.c.owner > _OWNER),  # by the index, past those of `owner`
        unclaimed(),
    )
)


def claimable_ids(
    conn: Connection, owner: str, organizations: Collection[str] | None = None, *, most: int = ALL
) -> list[str]:
    """Ids of active subscriptions of these organizations (None: of all) that `owner` has claimed or could claim, `most` of them."""
    if organizations is None:
        found = _CLAIMABLE_OF_ALL.all(conn, owner=owner, most=most)
    else:
        found = _CLAIMABLE_OF.all(conn, owner=owner, organizations=list(organizations), most=most)
    return [webhook_id for (webhook_id,) in found]


def behind(conn: Connection, owner: str, *, through: int) -> list[str]:
    """Ids of those within reach of `owner` that have not had everything through this number."""
    newer = (
        select(outbox.c.number)
        .where(
            outbox.c.organization_id == webhooks.c.organization_id,
            outbox.c.number > webhooks.c.cursor,
            outbox.c.number <= through,
        )
        .exists()
    )
    return list(conn.scalars(select(webhooks.c.id).where(*_claimable(owner), newer)))


def waiting_for(conn: Connection, owner: str, *, now: float, far: float) -> list[str]:
    """Ids of those within reach of `owner` with a round that is due, or planned later than `far`, which no plan does."""
    return [id_ for (id_,) in _WAITING_FOR.all(conn, owner=owner, now=now, far=far)]


def orphaned_ids(conn: Connection, owner: str) -> list[str]:
    """Ids of active subscriptions claimed by a process, not `owner`, that has died and may have left something undone."""
    return [id_ for (id_,) in _ORPHANED.all(conn, owner=owner)]


def renew_secrets(claimed: Subscription, secrets: str) -> Subscription | None:
    """`claimed` with its secrets as the table has them now; None where they cannot be read, as the next claim reports."""
    try:
        now = _secrets(secrets)
    except UnreadableRow:
        return None
    return claimed if now == claimed.secrets else replace(claimed, secrets=now)


@lru_cache(4096)
def _secrets(text: str) -> tuple[Secret, ...]:
    return _read_secrets(read(text))


def _read_secrets(stored: Any) -> tuple[Secret, ...]:
    """Raises UnreadableRow, which shows nothing of what is stored."""
    try:
        found = tuple(Secret(**each) for each in stored)
    except (TypeError, AttributeError):
        found = ()
    readable = all(isinstance(each.value, str) and isinstance(each.until, int | None) for each in found)
    if not found or not readable:
        raise UnreadableRow("webhooks.secrets: not of the form of this version")
    return found


def subscription_of(row: Row[Any], *, strict: bool = True) -> Subscription:
    """A row of the table as a value. Raises UnreadableRow, unless not `strict`: then it has no secrets."""
    values = row._asdict()
    try:
        secrets = _read_secrets(values["secrets"])
    except UnreadableRow:
        if strict:
            raise
        secrets = ()
    return Subscription(**{**values, "secrets": secrets})


def _forget(unit: Unit, webhook_id: str, limit: int) -> None:
    for table in (webhook_waiting, webhook_rounds):
        if delete_some(unit.conn, table, table.c.webhook_id == webhook_id, limit=limit) == limit:
            return
    unit.conn.execute(delete(webhooks).where(webhooks.c.id == webhook_id))


def _plain(secret: Secret) -> dict[str, Any]:
    return {"value": secret.value, "until": secret.until}
