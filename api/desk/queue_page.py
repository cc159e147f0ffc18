"""The queue: everything that waits for a person, across all matches, each with its answers beside it."""

from __future__ import annotations

from functools import partial
from typing import Any
from urllib.parse import urlencode

from markupsafe import Markup
from starlette.responses import Response

from api.desk.act_on_matches import act, change_match
from api.desk.comments_page import decide_comment
from api.desk.desk_frame import DeskPage, redirect
from api.desk.fragment_cache import FragmentCache, KeptFragment, fragment_response, wait_for_news, wants_anew
from api.desk.handlers import write_down
from api.desk.match_lines import LineMaker
from api.desk.match_overview import Sight
from api.desk.queue_items import KINDS, WaitingFilter, read_queue
from api.desk.shared_texts import refusal_text
from api.events.operations import delete_event, update_event
from api.external import standby_questions
from api.http.param import Integer, OneOf, Query, words
from api.http.request import ApiRequest, DeskPerson, parse_document
from mapping.desk.cross_site import own_path
from mapping.documents.event import Event
from mapping.documents.scalars import LocalStatus
from mapping.errors import Forbidden, InvalidRequest, ServiceError
from store.following.sources import NamedLiveblog

QUEUE = "/desk/queue"
LISTED = f"{QUEUE}/list"
ACT = f"{QUEUE}/act"
KIND = OneOf("kind", choices=words(("", *KINDS)), default="")
PAGE = Integer("page", low=1, high=1000, default=1)
OF_COMMENTS = ("approve", "reject", "wait", "ban", "unban")
SCOREBOARD = {"byhand": True, "byprovider": False}
STATES = {"publish": LocalStatus.PUBLISHED, "hold": LocalStatus.UNPUBLISHED}


async def show_queue(request: ApiRequest, page: DeskPage, person: DeskPerson) -> Response:
    """The page."""
    return await _page(request, page, person, _wanted(request.query))


async def queue_fragment(request: ApiRequest, page: DeskPage, person: DeskPerson) -> Response:
    """The list alone, for the script of the page: with `wait` once it is another one than the page has."""
    make = partial(_fragment, request, page, person, _wanted(request.query))
    return fragment_response(request, await wait_for_news(request, make))


async def answer(request: ApiRequest, page: DeskPage, person: DeskPerson, form: Query) -> Response:
    """Do what the pressed button says, and show what still waits."""
    try:
        refused = await _do(request, page, person, form)
    except (InvalidRequest, Forbidden):
        raise
    except ServiceError as error:
        refused = refusal_text(page, error)
    request.services[FragmentCache].forget()
    if refused:
        return await _page(request, page._replace(path=QUEUE), person, WaitingFilter(), alert=refused)
    return redirect(request, own_path(form.get("back")) if form.get("back") else QUEUE)


async def _do(request: ApiRequest, page: DeskPage, person: DeskPerson, form: Query) -> str:
    """What was refused of it, in words; empty where all is done. Raises ServiceError."""
    if any(name in form for name in OF_COMMENTS):
        await decide_comment(request, person, form)
        return ""
    if "backup" in form:
        _, refused = await act(request, page, person, {"do": "backup", f"match.{form['backup']}": "yes"})
        return " ".join(refused)
    for name, by_hand in SCOREBOARD.items():
        if name in form:
            change: dict[str, Any] = {"autoPostConfiguration": {"excludeScoreboard": by_hand}}
            await change_match(request, person, form[name], change)
            return ""
    if "pin" in form:
        liveblog, _, provider = form["pin"].partition(" ")
        await change_match(request, person, liveblog, {"leads": provider})
        return ""
    if "same" in form:
        await _stand_by(request, person, form["same"])
        return ""
    await _write_post(request, person, form)
    return ""


async def _stand_by(request: ApiRequest, person: DeskPerson, named: str) -> None:
    """The candidate that a person has named stands by; none, where the last part is empty."""
    person.demand("external")
    liveblog, provider, match_id = (*named.split(" ", 2), "", "")[:3]
    of = NamedLiveblog(liveblog, person.organization_id)
    await standby_questions.answer(request.services, of, provider, match_id or None)
    await write_down(request, person, "liveblog.answerStandby", liveblog, None)


async def _write_post(request: ApiRequest, person: DeskPerson, form: Query) -> None:
    """Publish a draft, make it one again, or delete it; only as it was seen. Raises InvalidRequest where nothing is named."""
    person.demand("write")
    name = next((each for each in (*STATES, "discard") if each in form), None)
    if name is None:
        raise InvalidRequest("the form names nothing to do")
    post, _, version = form[name].partition(" ")
    expected = int(version) if version.isdecimal() else None
    work: Any = partial(delete_event, caller=person, event_id=post, expected=expected)
    if name in STATES:
        event = parse_document(Event, {"local_status": STATES[name]})
        work = partial(update_event, caller=person, event_id=post, event=event, expected=expected)
    done = await request.services.store.write(work)
    await write_down(request, person, f"event.{'update' if name in STATES else 'delete'}", done.liveblog, done.version)


def _wanted(query: Query) -> WaitingFilter:
    return WaitingFilter(KIND.of(query), PAGE.of(query))


async def _page(
    request: ApiRequest, page: DeskPage, person: DeskPerson, wanted: WaitingFilter, *, alert: str = ""
) -> Response:
    found = (await _fragment(request, page, person, wanted)).rendering
    return page.response(
        "queue.html",
        409 if alert else 200,
        alert=alert,
        query=_query(wanted),
        queue=Markup(found.body.decode()),  # noqa: S704 -- made by a template
        etag=found.etag,
    )


async def _fragment(request: ApiRequest, page: DeskPage, person: DeskPerson, wanted: WaitingFilter) -> KeptFragment:
    services, here = request.services, page._replace(path=QUEUE, up="../")
    with_comments, may_act = "comments" in person.scopes, "external" in person.scopes

    async def make() -> str:
        now, allowed = services.clock(), services.settings.polling.silence_alarm
        sight = Sight(
            person.organization_id, {} if services.last_answers is None else services.last_answers(), now, allowed
        )
        maker = LineMaker(here, now, allowed, lambda _: ())
        found = await services.store.read(
            partial(read_queue, maker=maker, sight=sight, wanted=wanted, with_comments=with_comments)
        )
        return here.render(
            "queue_items.html",
            queue=found,
            wanted=wanted,
            kinds=[(each, name) for each, name in KINDS.items() if each != "say" or with_comments],
            may_act=may_act,
            link=lambda **changes: f"{here.link(QUEUE)}?{_query(wanted._replace(**changes))}",
        )

    key = ("queue", person.organization_id, page.texts.locale, with_comments, may_act, wanted)
    return await services[FragmentCache].get(key, make, anew=wants_anew(request))


def _query(wanted: WaitingFilter) -> str:
    return urlencode({name: value for name, value in wanted._asdict().items() if value not in {"", 1}})
