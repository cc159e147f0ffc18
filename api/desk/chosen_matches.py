"""Makes a liveblog of each match that is ticked: one that fails says why, and the others are made."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from functools import partial
from hashlib import sha256
from typing import Any, NamedTuple

from api.desk.desk_frame import DeskPage
from api.desk.handlers import write_down
from api.desk.shared_texts import refusal_text
from api.external import operations
from api.http.param import Query
from api.http.request import ApiRequest, DeskPerson, parse_document
from mapping.documents.external import ExternalChange
from mapping.errors import ServiceError, Unprocessable
from mapping.follow.pairing import KnownSame, ListedAt, find_same
from mapping.fusion.same_match import why_other_match
from mapping.match.fixture import Fixture, FixtureDay
from mapping.match.match import Match, Side, Status
from store.following.overview import liveblogs_of_matches
from store.following.source_links import list_links, same_of
from store.following.sources import NamedLiveblog

AT_ONCE = 4
"""Liveblogs of one form that are made at a time."""
MOST = 50
"""Matches of one form."""


EXCLUDE = "exclude."
"""How the fields of event types begin."""
TICK = "match."
"""How the names of the ticks begin; the match's id follows."""


class Refused(Exception):
    """The match gets no liveblog, or not all that was wanted; `words` say why."""

    def __init__(self, words: str) -> None:
        super().__init__(words)
        self.words = words


class Made(NamedTuple):
    """What became of a form: the liveblogs, and why others were not made, by match."""

    local_ids: list[str]
    refused: dict[str, str]


class _Maker(NamedTuple):
    """One form. `listed`: the list that it was sent from; `others`: the one of the provider that is to stand by."""

    request: ApiRequest
    page: DeskPage
    person: DeskPerson
    form: Query
    listed: FixtureDay
    others: FixtureDay | None
    on_them: Mapping[str, Any]
    known: KnownSame

    async def make(self, match_id: str) -> str:
        """The `local_id` of the match's liveblog. Raises Refused, and the errors of the operations."""
        fixture = next((each for each in self.listed.listed.fixtures if each.match_id == match_id), None)
        if fixture is None:
            raise Refused(self.page.text("The match is not on the list any more."))
        if match_id in self.on_them and "second" not in self.form:
            raise Refused(self.page.text("There is a liveblog already. For a second one, tick that too."))
        standby = await asyncio.to_thread(self._standby, fixture)  # the other list may be a long one
        services, owner = self.request.services, self.person.organization_id
        key = sha256(f"{self.form.get('key')} {match_id}".encode()).hexdigest()
        game = await operations.create(
            services,
            self._body(fixture),
            organization_id=owner,
            client_id=self.person.client_id,
            key=key,
            editorial="editorial" in self.form,
        )
        local_id = str(game["local_id"])
        await write_down(self.request, self.person, "liveblog.createFromExternal", local_id, game.get("version"))
        if standby is not None:
            change = parse_document(ExternalChange, {"standby": [standby]})
            try:
                changed = await operations.change(services, NamedLiveblog(local_id, owner), change)
            except ServiceError as error:
                reason = refusal_text(self.page, error)
                raise Refused(self.page.text("Created, but without the standby: {reason}", reason=reason)) from error
            await write_down(self.request, self.person, "liveblog.changeExternal", local_id, changed.version)
        return local_id

    def _body(self, fixture: Fixture) -> dict[str, Any]:
        """The `CreateFromExternal`: text only where there is any for the sport."""
        form = self.form
        excluded = sorted(each.removeprefix(EXCLUDE) for each in form if each.startswith(EXCLUDE))
        body: dict[str, Any] = {
            "provider": form["provider"],
            "matchId": fixture.match_id,
            "autoPostEnabled": "auto" in form,
            "autoPostConfiguration": {"excludeEvents": excluded},
            "includeTextContent": "text" in form and self._has_text(fixture.sport or ""),
        }
        return {**body, **({"locale": form["locale"]} if form.get("locale") else {})}

    def _has_text(self, sport: str) -> bool:
        try:
            self.request.services.importer.check_text(self.person.organization_id, self.form["provider"], sport)
        except ServiceError:
            return False
        return True

    def _standby(self, fixture: Fixture) -> dict[str, str] | None:
        """The same match at the provider that is to stand by. Raises Refused unless exactly one is it for sure."""
        if self.others is None:
            return None
        own = ListedAt(self.form["provider"], self.listed.listed.fixtures)
        there = ListedAt(self.form["standby"], self.others.listed.fixtures)
        found = find_same(fixture, own, there, self.known).found
        if found is not None:
            return {"provider": there.provider, "matchId": found.match_id}
        return standby_of(self.page, fixture, self.others, self.form["standby"])


def standby_of(page: DeskPage, fixture: Fixture, others: FixtureDay, provider: str) -> dict[str, str]:
    """The same match on the provider's list, as one that is to stand by. Raises Refused unless exactly one is it for sure."""
    same = [each for each in others.listed.fixtures if _is_surely(fixture, each)]
    if len(same) != 1:
        raise Refused(page.text("No match of {provider} is surely this one.", provider=provider))
    return {"provider": provider, "matchId": same[0].match_id}


async def make_liveblogs(request: ApiRequest, page: DeskPage, person: DeskPerson, form: Query) -> Made:
    """Make a liveblog of each match that the form ticks. Raises ServiceError where none can be tried."""
    person.demand("external")
    ticked = [each.removeprefix(TICK) for each in form if each.startswith(TICK)]
    if not ticked:
        raise Unprocessable(page.text("Tick the matches that shall have a liveblog."))
    if len(ticked) > MOST:
        raise Unprocessable(
            page.text("{count} matches are ticked; at most {most} at once.", count=len(ticked), most=MOST)
        )
    services, owner = request.services, person.organization_id
    list_of = partial(services.importer.fixtures, owner, day=form.get("day", ""))
    listed = await list_of(provider=form.get("provider", ""))
    others = await list_of(provider=form["standby"]) if form.get("standby") else None
    find = partial(liveblogs_of_matches, organization_id=owner, endpoint=listed.endpoint, match_ids=ticked)
    known = same_of(await services.store.read(partial(list_links, organization_id=owner)))
    maker = _Maker(request, page, person, form, listed, others, await services.store.read(find), known)
    return await _make_all(maker, ticked)


async def _make_all(maker: _Maker, match_ids: Iterable[str]) -> Made:
    places, made = asyncio.Semaphore(AT_ONCE), Made([], {})

    async def make(match_id: str) -> None:
        try:
            async with places:
                made.local_ids.append(await maker.make(match_id))
        except Refused as refusal:
            made.refused[match_id] = refusal.words
        except ServiceError as error:
            made.refused[match_id] = refusal_text(maker.page, error)

    await asyncio.gather(*map(make, match_ids))
    return made


def _is_surely(one: Fixture, other: Fixture) -> bool:
    """Whether both are known well enough, and can be the same match."""
    known = all((each.home, each.away, each.kickoff) for each in (one, other)) and not (
        one.kickoff_open or other.kickoff_open
    )
    differ = any(
        None not in pair and pair[0] != pair[1]
        for pair in ((one.gender, other.gender), (one.age_class, other.age_class))
    )
    return known and not differ and why_other_match(_as_match(one), _as_match(other)) is None


def _as_match(fixture: Fixture) -> Match:
    home, away = (
        None if each is None else Side(ext_id=each.id, name=each.name) for each in (fixture.home, fixture.away)
    )
    return Match(
        provider="",
        match_id=fixture.match_id,
        sport=fixture.sport or "",
        status=Status.SCHEDULED,
        kickoff=fixture.kickoff,
        kickoff_open=fixture.kickoff_open,
        home=home,
        away=away,
    )
