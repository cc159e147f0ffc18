"""What is done to matches from the list of all: to one by its button, to several that are chosen; each is refused by itself."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from api.desk.chosen_matches import AT_ONCE, MOST, TICK, Refused, standby_of
from api.desk.desk_frame import DeskPage
from api.desk.handlers import write_down
from api.desk.shared_texts import refusal_text
from api.external import operations
from api.http.param import Query
from api.http.request import ApiRequest, DeskPerson, parse_document
from mapping.documents.external import ExternalChange
from mapping.errors import ServiceError, Unprocessable
from mapping.locales import msgid
from mapping.sports import SPORTS
from store.following.overview import titles_of
from store.following.sources import NamedLiveblog

BULK = {
    "pause": msgid("Pause"),
    "resume": msgid("Resume"),
    "drafts": msgid("Hold goals as drafts"),
    "backup": msgid("Add backup"),
}
"""What can be done to all that are chosen."""


class Acting(NamedTuple):
    """One form, and what it does."""

    request: ApiRequest
    page: DeskPage
    person: DeskPerson
    do: str

    async def one(self, name: str) -> None:
        """Do it to the liveblog of this name. Raises Refused, and the errors of the operations."""
        await change_match(self.request, self.person, name, await self._changes()[self.do](name))

    def _changes(self) -> Mapping[str, Callable[[str], Awaitable[dict[str, Any]]]]:
        async def paused(_: str) -> dict[str, Any]:
            return {"paused": self.do == "pause"}

        return {"pause": paused, "resume": paused, "drafts": self._drafts, "backup": self._backup}

    async def _known(self, name: str) -> Mapping[str, Any]:
        return await operations.show(self.request.services, NamedLiveblog(name, self.person.organization_id))

    async def _drafts(self, name: str) -> dict[str, Any]:
        """What changes the score becomes a draft, beside all that does already."""
        before = (await self._known(name))["autoPostConfiguration"]["excludeEvents"]
        game = await self.request.services.store.read(NamedLiveblog(name, self.person.organization_id).find)
        sport = SPORTS.get(game.sportstype)
        goals = {each.id for each in (sport.kinds if sport else ()) if each.scores}
        known = goals & self.request.services.event_types
        if not known:
            raise Refused(self.page.text("Nothing in this sport is a goal."))
        return {"autoPostConfiguration": {"excludeEvents": sorted({*before, *known})}}

    async def _backup(self, name: str) -> dict[str, Any]:
        """One more source stands by: the first provider beside those that there are whose list surely has the match."""
        services, owner = self.request.services, self.person.organization_id
        known, game = await self._known(name), await services.store.read(NamedLiveblog(name, owner).find)
        sources = known["sources"] or [{"provider": known["provider"], "matchId": known["selector"]["matchId"]}]
        has = [each["provider"] for each in sources]
        if game.starts_at is None:
            raise Refused(self.page.text("Its kick-off is not known."))
        zone = ZoneInfo(services.settings.server.timezone)
        day = datetime.fromtimestamp(game.starts_at, UTC).astimezone(zone).date().isoformat()
        listed = await services.importer.fixtures(owner, has[0], day)
        fixture = next((each for each in listed.listed.fixtures if each.match_id == sources[0]["matchId"]), None)
        if fixture is None:
            raise Refused(self.page.text("The match is not on the list any more."))
        refused: Exception = Refused(self.page.text("There is no other provider."))
        for provider in sorted({*(services.settings.organization(owner).providers or services.providers)} - {*has}):
            try:
                others = await services.importer.fixtures(owner, provider, day)
                found = await asyncio.to_thread(standby_of, self.page, fixture, others, provider)
            except (Refused, ServiceError) as error:
                refused = error
                continue
            beside = [{"provider": each["provider"], "matchId": each["matchId"]} for each in sources[1:]]
            return {"standby": [*beside, found]}
        raise refused


async def act(request: ApiRequest, page: DeskPage, person: DeskPerson, form: Query) -> tuple[int, Sequence[str]]:
    """To how many liveblogs it was done, and why not to the others. Raises ServiceError where none can be tried."""
    person.demand("external")
    do = form.get("do") or ("pause" if "pause" in form else "resume")
    ticked = [each.removeprefix(TICK) for each in form if each.startswith(TICK)]
    names = ticked if "do" in form else [form.get(do, "")]
    if do not in BULK or not names:
        raise Unprocessable(page.text("Choose the matches first."))
    if len(names) > MOST:
        raise Unprocessable(
            page.text("{count} matches are chosen; at most {most} at once.", count=len(names), most=MOST)
        )
    acting, places = Acting(request, page, person, do), asyncio.Semaphore(AT_ONCE)
    refused: list[tuple[str, str]] = []

    async def one(name: str) -> None:
        try:
            async with places:
                await acting.one(name)
        except Refused as refusal:
            refused.append((name, refusal.words))
        except ServiceError as error:
            refused.append((name, refusal_text(page, error)))

    await asyncio.gather(*map(one, names))
    find = partial(titles_of, organization_id=person.organization_id, local_ids=[name for name, _ in refused])
    titles = await request.services.store.read(find) if refused else {}
    return len(names) - len(refused), [
        f"{titles[name]}: {words}" if name in titles else words for name, words in refused
    ]


async def change_match(request: ApiRequest, person: DeskPerson, name: str, change: Mapping[str, Any]) -> None:
    """Change what the liveblog of this name takes over from its match. Raises Forbidden for whoever may only look."""
    person.demand("external")
    named = NamedLiveblog(name, person.organization_id)
    game = await operations.change(request.services, named, parse_document(ExternalChange, dict(change)))
    await write_down(request, person, "liveblog.changeExternal", game.local_id, game.version)
