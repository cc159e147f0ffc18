"""Creates a liveblog from a provider's match: fetches and translates it, then one unit fills, posts and follows."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple, Protocol

import structlog
from opentelemetry.trace import SpanKind
from sqlalchemy import Connection

from config.sections import Limits
from ingest.sync import liveblog_sync
from ingest.sync.attach import FetchedStandby, follow_match, start_ledger, take_over
from ingest.sync.endpoint_limiter import fetch
from ingest.sync.fixture_lists import FixtureLists, MatchPreviews
from ingest.sync.followed_match import Arrival, WaitingAnswers
from ingest.sync.liveblog_sync import Applied
from ingest.sync.poll import Record, import_squads, record_nothing
from ingest.sync.previous_belief import check, within
from ingest.sync.provider_source import ProviderSource, followable_sports, source_of
from ingest.sync.snapshot import Snapshot, decision_rows, save_answers
from mapping.belief.confirm import confirm_answer
from mapping.documents.import_options import ImportOptions
from mapping.errors import Conflict, InvalidRequest
from mapping.liveblog.prefill import game_document
from mapping.match.fixture import FixtureDay
from mapping.match.match import Match
from mapping.posts.withdrawal_notes import WithdrawalRules
from providers.base import Answer, Fetched, Outcome, ProviderAdapter, Selector
from providers.fetch import beside
from providers.http_client import patient
from store.clients import idempotency
from store.database import Store
from store.engine import spans
from store.engine.liveblog_records import Change, NewGame, StoredGame, new_local_id, new_object_id
from store.engine.statements import write_batch
from store.engine.unit import Unit
from store.following import follow_rows, rule_matches
from store.following.import_request import ImportRequest, StandbyRequest
from store.liveblogs import liveblogs
from store.masterdata import masterdata
from store.timeline.timeline import CommittedPosts, PostTime, PostTimeline

log = structlog.get_logger()


class Imported(NamedTuple):
    """The match's follow and the liveblog. `new`: not that of an equal request, which came first."""

    follow_id: str
    game: StoredGame
    new: bool = False
    times: Sequence[PostTime] = ()


class NewIds(NamedTuple):
    """Ids of what is created: of a liveblog by the instant of the unit, its `local_id`, and those of its posts in their order."""

    game: Callable[[int], str]
    liveblog: Callable[[], str]
    event: Callable[[], str]


NEW_IDS = NewIds(new_object_id, partial(new_local_id, "g"), partial(new_local_id, "e"))


class Following(Protocol):
    """Has a match followed, in this process or in another one."""

    async def follow(self, follow_id: str, *, afresh: bool = False) -> None:
        """A liveblog was attached to the match; `afresh`: look at it soon, as if nothing were known."""


class MatchImporter:
    """Serves what the API wants of providers' matches, and what the config declares. Implements `api.http.request.Importer`."""

    def __init__(
        self,
        store: Store,
        sources: Mapping[tuple[str, str], ProviderSource],
        followers: Following,
        *,
        providers: frozenset[str],
        limits: Limits,
        withdrawals: WithdrawalRules | None = None,
        clock: Callable[[], float] = time.time,
        record: Record = record_nothing,
        timeline: PostTimeline | None = None,
        lists: FixtureLists | None = None,
        ids: NewIds = NEW_IDS,
    ) -> None:
        """`clock` gives Unix seconds; `record` keeps the answers, `timeline` when posts came about, `lists` those of providers.

        `ids`: of what is created.
        """
        self._store = store
        self._sources = sources
        self._followers = followers
        self._providers = providers
        self._limits = limits
        self._withdrawals = withdrawals
        self._clock = clock
        self._record = record
        self._timeline = PostTimeline(store, clock) if timeline is None else timeline
        self._ids = ids
        self._previews = MatchPreviews(self.match_of)
        self._lists = FixtureLists({}) if lists is None else lists

    async def create(self, request: ImportRequest) -> str:
        """Create the liveblog, or attach it; gives its `ticker_id`. Raises the errors of createFromExternal."""
        earlier = await self._store.read(partial(_earlier, request=request))
        if earlier is not None:
            return earlier.id
        source, fetched, match, arrival = await self.fetch(request)
        snapshot = first_snapshot(match, fetched, arrival, text=source.adapter.text_resource)
        await import_squads(self._store, match, {request.organization_id})
        create = partial(
            create_liveblog,
            withdrawals=self._withdrawals,
            request=request,
            endpoint=source.adapter.endpoint.key,
            snapshot=snapshot,
            ids=self._ids,
        )
        found = await self._store.write(create)
        endpoint = source.adapter.endpoint.key
        self._timeline.committed(CommittedPosts(found.times, arrival.now(), match.match_id, endpoint))
        await self._followers.follow(found.follow_id, afresh=True)
        if found.new:
            liveblog = found.game.local_id
            log.info("liveblog.created", liveblog=liveblog, provider=request.provider, match=match.match_id)
        return found.game.id

    async def preview(self, request: ImportRequest) -> dict[str, Any]:
        """What the match holds; nothing is written. Raises what `create` raises, and RateLimited."""
        return await self._previews(request)

    async def fixtures(self, organization_id: str, provider: str, day: str) -> FixtureDay:
        """The provider's list of a day; raises NotFound and Forbidden as `create`, Unprocessable and UpstreamUnavailable."""
        return await self._lists.day(self._source(organization_id, provider), day, self._clock())

    async def find_standby(self, wanted: StandbyRequest) -> FetchedStandby:
        """The match, as its provider gives it now; raises what `create` raises."""
        request = ImportRequest(
            organization_id=wanted.organization_id,
            client_id="",
            provider=wanted.provider,
            selector_kind="match",
            selector_id=wanted.match_id,
            terms=ImportOptions(sport=""),
        )
        source, fetched, match, arrival = await self.fetch(request)
        snapshot = first_snapshot(match, fetched, arrival, text=source.adapter.text_resource)
        return FetchedStandby(request, source.adapter.endpoint.key, snapshot)

    async def follow(self, follow_ids: Iterable[str]) -> None:
        """Have these matches looked at, once the unit that named them is committed."""
        for follow_id in follow_ids:
            await self._followers.follow(follow_id, afresh=True)

    def check_text(self, organization_id: str, provider: str, sport: str) -> None:
        """Raise InvalidRequest where the organization gets no text content for the sport, Forbidden without the provider."""
        _check_text(self._source(organization_id, provider), sport)

    async def kickoff(self, request: ImportRequest) -> int | None:
        """When the match that the request means begins, as the provider says now."""
        _, _, match, _ = await self.fetch(request)
        return match.kickoff

    async def match_of(self, request: ImportRequest) -> tuple[Match, bool]:
        """The match that the request means, as the provider gives it now, and whether the organization gets text for it."""
        source, _, match, _ = await self.fetch(request)
        return match, source.text_content and match.sport in source.provider.text_sports and match.text

    async def fetch(self, request: ImportRequest) -> tuple[ProviderSource, Fetched, Match, Arrival]:
        """Fetch and translate what the request means, and check that it may be had; raises as a creation does."""
        source = self._source(request.organization_id, request.provider)
        if request.terms.text:
            _check_text(source)
        match_id = await patient(
            partial(_resolve, source.adapter, Selector(request.selector_kind, request.selector_id))
        )
        fetched = await patient(partial(_first, source.adapter, match_id, text=request.terms.text, limits=self._limits))
        arrival = Arrival(self._clock, first=True)
        self._record(source.adapter.endpoint, match_id, fetched.answers)
        bodies = bodies_of(fetched.changed)
        match = await beside(sum(map(len, bodies.values())), source.adapter.translate, match_id, bodies)
        check(self._limits, match)
        if match.sport not in followable_sports(source.provider):  # one that is listed for text alone can be had too
            sport = f"{match.sport} is not supported for {match.provider}"
            raise InvalidRequest(sport, field=f"{request.selector_kind}Id")
        if request.terms.text:
            _check_text(source, match.sport)
        return source, fetched, match, arrival

    def _source(self, organization_id: str, provider: str) -> ProviderSource:
        return source_of(self._sources, self._providers, organization_id, provider)


def first_snapshot(match: Match, fetched: Fetched, arrival: Arrival, *, text: str | None) -> Snapshot:
    """The match of a first answer, all of which is believed. `text`: the resource with editorial text."""
    belief = confirm_answer(None, match, good=frozenset())
    return Snapshot(
        match=belief.match,
        belief=follow_rows.packed_belief(belief),
        answers=fetched.answers,
        hints=fetched.hints,
        times=WaitingAnswers().times(arrival, fetched, text=text, known={}),
    )


def create_liveblog(
    unit: Unit,
    request: ImportRequest,
    *,
    endpoint: str,
    snapshot: Snapshot,
    withdrawals: WithdrawalRules | None,
    ids: NewIds,
) -> Imported:
    """The unit: master data, liveblog, ledger, first posts, attachment; or the liveblog of an earlier equal request.

    A match that is followed already keeps its stored bodies: its follower looks afresh and brings all in line.
    """
    match, owner = snapshot.match, request.organization_id
    rule_matches.lock_creations(unit, owner, by_rule=request.claim is not None)
    follow = follow_match(unit, request, endpoint, snapshot)
    earlier = _earlier(unit.conn, request)
    if earlier is not None:
        return Imported(follow.id, earlier)
    known = follow_rows.resources(unit.conn, follow.id)
    terms = terms_of(request, match.sport)
    attachment = follow_rows.Attachment(
        game_id="",
        follow_id=follow.id,
        organization_id=owner,
        provider=match.provider,
        match_id=match.match_id,
        selector={"kind": request.selector_kind, "id": request.selector_id},
        terms=terms.as_dict(),
        declared_key=request.declared_key,
    )
    taken: str | None = None
    if request.attach_to is not None:
        taken = take_over(unit, request, match, attachment, terms)
        if taken is None:
            return Imported(follow.id, liveblogs.require_game(unit.conn, request.attach_to))
    references = masterdata.import_match(unit, owner_id=owner, source=match.provider, match=match)
    document = game_document(references.correct(match), terms, references) if taken is None else {}
    game_id = taken or _insert(unit, attachment, document, ids, request)
    if request.claim is not None:
        request.claim(unit, replace(attachment, game_id=game_id))
    applied = liveblog_sync.sync_liveblog(
        unit, game_id, snapshot, terms, lambda _: references, new_id=ids.event, withdrawals=withdrawals
    )
    if taken is not None and not applied.stepped:
        liveblogs.record(unit, game_id, Change())
    _save(unit, follow.id, snapshot, applied, game_id, known=bool(known))
    if request.sources is not None:
        request.sources(unit, replace(attachment, game_id=game_id))
    if request.idempotency_key is not None:
        idempotency.save(unit, owner, request.client_id, request.idempotency_key, request.idempotency_digest, game_id)
    return Imported(follow.id, liveblogs.require_game(unit.conn, game_id), new=True, times=applied.times)


def _save(unit: Unit, follow_id: str, snapshot: Snapshot, applied: Applied, game_id: str, *, known: bool) -> None:
    """Save what the answers say, unless others than these are known of the match, and what was decided upon them."""
    versions = {} if applied.versions is None else {game_id: applied.versions}
    if not known and applied.rest is None:
        save_answers(unit, follow_id, snapshot, versions=versions, created=game_id)
        return
    write_batch(unit.conn, decision_rows(unit, follow_id, snapshot, versions, game_id))
    if known:
        follow_rows.look_afresh(unit, follow_id)
    else:  # nothing counts as known, so that whoever follows the match brings the rest
        follow_rows.save_follow(unit, follow_id, pending=True)


def _insert(
    unit: Unit, attachment: follow_rows.Attachment, document: dict[str, Any], ids: NewIds, request: ImportRequest
) -> str:
    """Create the liveblog, on its match and with its ledger; what the request wishes besides, no provider takes back."""
    wished = {**document, "meta_info": {**document["meta_info"], "editorial_publishing": request.editorial}}
    if request.tags:
        wished["tags"] = list(request.tags)
    game = NewGame(
        id=ids.game(unit.now),
        local_id=ids.liveblog(),
        organization_id=attachment.organization_id,
        sportstype=document["sportstype"],
        template_id=document["template_id"],
        document=wished,
    )
    game_id = liveblogs.insert_game(unit, game).id
    follow_rows.attach(unit, replace(attachment, game_id=game_id))
    start_ledger(unit, game_id, document)
    return game_id


def _earlier(conn: Connection, request: ImportRequest) -> StoredGame | None:
    """The liveblog that the same `Idempotency-Key` or the same declaration created before, as it is now."""
    if request.attach_to is not None:
        return None
    if request.declared_key is not None:
        attachment = follow_rows.find_declared(conn, request.organization_id, request.declared_key)
        return None if attachment is None else liveblogs.require_game(conn, attachment.game_id)
    if request.idempotency_key is None:
        return None
    found = idempotency.find(conn, request.organization_id, request.client_id, request.idempotency_key)
    if found is None:
        return None
    digest, game_id = found
    if digest != request.idempotency_digest:
        raise Conflict("this Idempotency-Key was used for another request", field="Idempotency-Key")
    return liveblogs.require_game(conn, game_id)


async def _resolve(adapter: ProviderAdapter, selector: Selector) -> str:
    with spans.child("provider.resolve", kind=SpanKind.CLIENT):
        return await adapter.resolve(selector)


async def _first(adapter: ProviderAdapter, match_id: str, *, text: bool, limits: Limits) -> Fetched:
    """All that the provider has of a match; the resource that makes it has to be there, the others may follow."""
    fetched = within(limits, await fetch(adapter, match_id, {}, text=text, hints={}))
    main = fetched.answers[0]
    if main.outcome is Outcome.FAILED and main.error is not None:
        raise main.error
    return fetched


def bodies_of(answers: tuple[Answer, ...]) -> dict[str, bytes]:
    """The bodies of the answers that have one, by resource."""
    return {answer.resource: answer.body for answer in answers if answer.body is not None}


def _check_text(source: ProviderSource, sport: str | None = None) -> None:
    """Raise InvalidRequest where the organization's endpoint delivers no text, or where there is none for the sport."""
    if not source.text_content:
        raise InvalidRequest("the organization's endpoint delivers no text content", field="includeTextContent")
    if sport is not None and sport not in source.provider.text_sports:
        raise InvalidRequest(f"there is no text content for {sport}", field="includeTextContent")


def terms_of(request: ImportRequest, sport: str) -> ImportOptions:
    """The terms of the request; what to leave out only counts where posting is automatic (interface)."""
    if request.terms.auto_post:
        return replace(request.terms, sport=sport)
    return replace(request.terms, sport=sport, exclude_events=frozenset(), exclude_scoreboard=False)
