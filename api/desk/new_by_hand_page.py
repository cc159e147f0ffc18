"""The pages on which a person makes a liveblog without a provider: of a match whose score is kept by hand, or of a topic."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from starlette.responses import Response

from api.desk.desk_frame import DeskPage, redirect
from api.desk.fragment_cache import FragmentCache
from api.desk.handlers import desk_form, desk_page, write_down
from api.desk.matches_page import may_change
from api.desk.shared_texts import locale_options, refusal_text
from api.http.param import Query
from api.http.request import ApiRequest, DeskPerson, parse_document
from api.http.routing import Route
from api.liveblogs import operations
from mapping.documents.game import GameDraft
from mapping.errors import ServiceError, StoreUnavailable, Unprocessable
from mapping.liveblog.modifications import NO_SPORT
from mapping.locales.labels import SPORT_CONTEXT
from mapping.sports import SPORTS
from store.engine.liveblog_records import StoredGame
from store.engine.unit import Unit
from store.liveblogs.listing import Page
from store.masterdata import masterdata_edit
from store.masterdata.masterdata_edit import MasterFilter
from store.tables import teams

MATCH, TOPIC = "/desk/new/match", "/desk/new/topic"
OFFERED = 300
"""Teams whose names the fields offer, the newest of the organization."""
LONGEST = 200
"""Characters of a name or a title."""
SIDES = ("home", "away")
Document = dict[str, Any]


@dataclass(frozen=True, slots=True)
class NewKind:
    """A kind of liveblog that people make: its page, and the document that its form becomes."""

    template: str
    has_teams: bool
    document: Callable[[DeskPage, Query], Document]

    async def show(self, request: ApiRequest, page: DeskPage, person: DeskPerson) -> Response:
        """The empty form."""
        return await self._form(request, page, person, {})

    async def create(self, request: ApiRequest, page: DeskPage, person: DeskPerson, form: Query) -> Response:
        """Make the liveblog and lead to it; a form with faults comes back with what is wrong beside each field."""
        services, owner = request.services, person.organization_id
        try:
            person.demand("write")
            document = self.document(page, form)
            document["meta_info"] |= _conditions(page, form)
            document |= {"_type": "Svc::Model::Game", "organization_id": owner, "locale": form.get("locale")}
            work = partial(
                _write,
                document=document,
                person=person,
                organizations=services.organizations,
                key=form.get("key") or None,
            )
            game = await services.store.write(work)
        except StoreUnavailable:
            raise
        except ServiceError as error:
            return await self._form(request, page, person, form, error)
        await write_down(request, person, "ticker.create", game.local_id, game.version)
        services[FragmentCache].forget()
        return redirect(request, f"/desk/liveblogs/{game.local_id}")

    async def _form(
        self, request: ApiRequest, page: DeskPage, person: DeskPerson, given: Query, error: ServiceError | None = None
    ) -> Response:
        if not may_change(person):
            return page.response(self.template, 403, may_act=False)
        services, wanted = request.services, MasterFilter(owners=[person.organization_id])
        listed = partial(masterdata_edit.list_records, table=teams, wanted=wanted, page=Page(OFFERED))
        known = (await services.store.read(listed)).records if self.has_teams else []
        declared = services.settings.organization(person.organization_id).templates
        is_field = isinstance(error, Unprocessable) and error.field is not None
        return page.response(
            self.template,
            422 if error else 200,
            may_act=True,
            given=given,
            alert=refusal_text(page, error) if error and not is_field else "",
            wrong={error.field: error.message} if error and is_field else {},
            teams=sorted({each.name for each in known}),
            templates=[(name, each.name) for name, each in declared.items()],
            sports=_sports(page, has_teams=self.has_teams),
            locales=locale_options(page),
            today=datetime.fromtimestamp(services.clock(), page.zone).date().isoformat(),
            key=given.get("key") or secrets.token_urlsafe(16),  # a form that is sent twice creates once
        )


def _write(
    unit: Unit, document: Document, person: DeskPerson, organizations: Callable[[str], object], key: str | None
) -> StoredGame:
    """The liveblog of the document; a team is the organization's oldest of that name and sport, else a new one."""
    meta = document["meta_info"]
    for side in (f"{each}_team" for each in SIDES):
        if side in meta:
            identity = {"owner_id": person.organization_id, "sportstype": document["template_id"], **meta[side]}
            team = masterdata_edit.find_or_create(unit, teams, identity)
            meta = {**meta, side: {"_type": team.type, "_id": team.id}}
    draft = parse_document(GameDraft, {**document, "meta_info": meta})
    return operations.create_once(unit, draft, person, organizations=organizations, files=(), key=key)


def _conditions(page: DeskPage, form: Query) -> Document:
    """When it begins, whether posts wait for somebody, and whether readers may comment. Raises Unprocessable."""
    more: Document = {"editorial_publishing": "editorial" in form, "allow_comments": "comments" in form}
    if not form.get("day"):
        return more
    try:
        begins = datetime.fromisoformat(f"{form['day']}T{form.get('time') or '00:00'}").replace(tzinfo=page.zone)
        return {**more, "starts_at": int(begins.timestamp())}
    except (ValueError, OverflowError) as error:
        raise Unprocessable(page.text("This is no date with a time."), field="day") from error


def _match(page: DeskPage, form: Query) -> Document:
    """The document of a match by hand. Raises Unprocessable without a sport of teams, and without two teams."""
    sport = SPORTS.get(form.get("sport", ""))
    if sport is None or not sport.scoreboard:
        raise Unprocessable(page.text("Choose a sport."), field="sport")
    names = {side: _words(form, side) for side in SIDES}
    for side in SIDES:
        if not names[side]:
            raise Unprocessable(page.text("A match has two teams."), field=side)
    if names["home"].casefold() == names["away"].casefold():
        raise Unprocessable(page.text("A match has two different teams."), field="away")
    meta: Document = {"_type": "Svc::Model::GameMetaInfo::TeamGameMetaInfo"}
    meta |= {f"{side}_team": {"name": name} for side, name in names.items()}
    if name := _words(form, "competition"):
        meta["tournament"] = {"_type": "Svc::Model::Tournament", "name": name}
    timing = {} if sport.timing is None else {"options": sport.timing.document()}
    return {"template_id": sport.id, "meta_info": meta, **timing}


def _topic(page: DeskPage, form: Query) -> Document:
    """The document of a topic. Raises Unprocessable without a title."""
    title = _words(form, "title")
    if not title:
        raise Unprocessable(page.text("A topic needs a title."), field="title")
    meta = {"_type": "Svc::Model::GameMetaInfo::TitleGameMetaInfo", "title": title}
    return {"template_id": form.get("template") or NO_SPORT, "meta_info": meta}


def _words(form: Query, name: str) -> str:
    return " ".join(form.get(name, "").split())[:LONGEST]


def _sports(page: DeskPage, *, has_teams: bool) -> list[tuple[str, str]]:
    """Those with teams, or those without, by their names."""
    found = (each for each in SPORTS.values() if each.scoreboard == has_teams)
    return sorted(
        ((each.id, page.texts.text(each.name, context=SPORT_CONTEXT)) for each in found), key=lambda one: one[1]
    )


BY_HAND = NewKind("new_by_hand.html", has_teams=True, document=_match)
OF_TOPIC = NewKind("new_topic.html", has_teams=False, document=_topic)
ROUTES = tuple(
    route
    for path, kind in ((MATCH, BY_HAND), (TOPIC, OF_TOPIC))
    for route in (
        Route("GET", path, desk_page(kind.show), "desk"),
        Route("POST", path, desk_form(kind.create), "desk"),
    )
)
