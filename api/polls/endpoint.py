"""A poll with its results, a reader's vote on it, and the votes or results of all polls of a liveblog as a file.

No cell of a CSV is a formula, and readers have no names in it.
"""

from __future__ import annotations

import hmac
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from sqlalchemy import Connection
from starlette.responses import Response

from api.http import openapi
from api.http.caching import Rendering, cache_control, conditional
from api.http.capability import FILE_FORMAT, Read, Row, TableFile, file_answer
from api.http.errors import json_bytes, json_response
from api.http.json_path import Json, nodes
from api.http.param import NAME, OneOf, words
from api.http.request import ApiRequest
from api.http.routing import READ
from api.readers.request_reader import PARAMETER, READER_TOKEN, known_reader, reader
from api.view.liveblog_access import among, readable
from api.view.liveblog_reads import DELAY, DelayedView, ReadCache, view_of
from mapping.errors import NotFound
from mapping.polls.reader_polls import (
    PollResults,
    PollVote,
    ReaderPoll,
    checked_vote,
    is_poll,
    own_vote,
    percentages,
    poll_block,
    reader_poll,
    results,
)
from store.clients.service_keys import known_reader_id_key
from store.engine.liveblog_records import StoredEvent, StoredGame
from store.engine.unit import Unit
from store.liveblogs import liveblogs
from store.polls import votes
from store.polls.votes import StoredVote

PATH = "/apigw/polls/v1/polls/{POLL_ID}"
NO_POLL = "there is no such poll"
TAG = "Polls"
EXAMPLE: Json = {
    "id": "b7",
    "question": "Who wins?",
    "options": [
        {"id": "1", "text": "Home", "votes": 2, "percent": 67},
        {"id": "2", "text": "Away", "votes": 1, "percent": 33},
    ],
    "total_votes": 3,
    "closed": False,
    "closes_at": None,
    "multiple": False,
    "quiz": False,
    "results": "always",
    "version": 16,
}
RESULTS = openapi.document_answer(PollResults, "The poll with its results", EXAMPLE)
POLL: Json = openapi.in_path("POLL_ID", "The `local_id` of the poll's block", NAME)


SHOW = openapi.operation(
    "polls.show",
    "A poll or quiz with its results",
    TAG,
    {200: RESULTS, **openapi.NOT_MODIFIED, **openapi.PUBLIC_ERRORS},
    parameters=[POLL, DELAY, PARAMETER],
    security=openapi.OPEN,
)
VOTE = openapi.operation(
    "polls.vote",
    "Vote on a poll or quiz, change the vote or take it back",
    TAG,
    {200: RESULTS, **openapi.refusals(*openapi.OF_ALL, 401, 404, 409, 413, 422)},
    parameters=[POLL, DELAY, PARAMETER],
    body=openapi.json_body(openapi.request_schema(PollVote), {"options": ["1"]}),
    security=openapi.OPEN,
)


EXPORT_PATH = "/apigw/polls/v1/organization/{organizationId}/liveblog/{liveblogId}/export"
CONTENTS = {"votes": ("poll", "reader", "options", "voted_at"),
            "results": ("poll", "question", "option", "text", "votes", "percent")}  # fmt: skip
"""What can be exported, and the columns of it."""
CONTENT = OneOf("content", "What is in it", choices=words(tuple(CONTENTS)), default="votes")
EXPORT = openapi.operation(
    "polls.export",
    "The votes or results of all polls of a liveblog as a file",
    "Polls",
    {
        200: file_answer("A row for each vote, or for each option"),
        **openapi.READ_ERRORS,
    },
    parameters=[
        openapi.in_path("organizationId"),
        openapi.in_path("liveblogId", openapi.LIVEBLOG),
        FILE_FORMAT,
        CONTENT,
    ],
)


@dataclass(frozen=True, slots=True)
class FoundPoll:
    """A poll that the request may see, in the post and the liveblog of the moment that is `view`."""

    poll: ReaderPoll
    event: StoredEvent
    game: StoredGame
    view: DelayedView


async def show(request: ApiRequest) -> Response:
    """The poll with its results, as far as the poll shows them to this reader (interface: Polls)."""
    found = await _find_poll(request)
    known = known_reader(request, found.game.organization_id)
    if known is not None:
        return _private(await _results(request, found, known.id))
    body = Rendering.of(json_bytes(await _results(request, found)))
    settings = request.services.settings
    return conditional(
        request.headers,
        body,
        "application/json",
        cache_control=cache_control(settings),
        more={"Vary": f"Authorization, {READER_TOKEN}"},
    )


async def vote(request: ApiRequest) -> Response:
    """One vote a reader and poll: it replaces the reader's last one, and no options take it back (ours: Polls)."""
    found = await _find_poll(request)
    known = await reader(request, found.game.organization_id)
    wanted = await request.document(PollVote)
    cast = partial(_cast, poll_id=found.poll.id, reader_id=known.id, options=wanted.options, request=request)
    await request.services.store.write(cast, group_key=f"poll {found.poll.id}")
    return _private(await _results(request, found, known.id))


def _cast(unit: Unit, poll_id: str, reader_id: str, options: Sequence[str], request: ApiRequest) -> None:
    """The poll is read again, as it is now: a delayed reader votes on that, and an editor may just have closed it."""
    event, poll = _public_poll(unit.conn, poll_id)
    now = request.services.clock()
    choose = partial(checked_vote, poll, options, now=now)
    votes.vote(unit, event.game_id, poll_id, reader_id, choose)


async def _find_poll(request: ApiRequest) -> FoundPoll:
    """Raises NotFound for a poll that does not exist, and for one of a post or liveblog that the request may not read."""
    store, settings, context = request.services.store, request.services.settings, request.context
    poll_id = request.path_params["POLL_ID"]
    current = await store.read(partial(votes.poll_event, poll_id=poll_id))
    if current is None:
        raise NotFound(NO_POLL)
    view = await view_of(request, current.game_id, request.services[ReadCache].game)
    try:
        game = readable(view.game, context.caller, public=settings.server.public_feeds)
    except NotFound:
        raise NotFound(NO_POLL) from None
    event, poll = await store.read(partial(_public_poll, poll_id=poll_id), at=view.at)
    return FoundPoll(poll, event, game, view)


def _public_poll(conn: Connection, poll_id: str) -> tuple[StoredEvent, ReaderPoll]:
    event = votes.poll_event(conn, poll_id)
    block = poll_block(event.document, poll_id) if event is not None and event.public else None
    poll = None if block is None else reader_poll(block)
    if event is None or poll is None:
        raise NotFound(NO_POLL)
    return event, poll


async def _results(request: ApiRequest, found: FoundPoll, reader_id: str | None = None) -> Json:
    """The results of the moment that the reader sees, and the reader's own vote as it is now."""
    store, game_id, poll, now = request.services.store, found.game.id, found.poll, found.view.now
    tallies = await store.read(partial(votes.tallies, game_id=game_id, poll_ids=[poll.id]), at=found.view.at)
    own: Json = {}
    if reader_id is not None:
        chosen = await store.read(partial(votes.own_vote, game_id=game_id, poll_id=poll.id, reader_id=reader_id))
        own = {"vote": own_vote(poll, chosen, now=now)}
    caller = request.context.caller  # clients of the organization that give their secret see results at any time
    trusted = caller is not None and caller.proven and among(found.game, caller) and bool(caller.scopes & set(READ))
    shown = trusted or poll.shows_results(now, voted=bool(own and own["vote"]["options"]))
    return {**results(poll, tallies[poll.id], event_version=found.event.version, now=now, shown=shown), **own}


def _private(document: Json) -> Response:
    return json_response(document, headers={"Cache-Control": "private, no-store"})


async def export(request: ApiRequest) -> Response:
    """The votes or results of all polls of a liveblog (ours: Polls)."""
    query, name, services = request.context.query, request.path_params["liveblogId"], request.services
    content, form = CONTENT.of(query), FILE_FORMAT.of(query)
    game = await services.store.read(partial(liveblogs.own_game, name=name, organizations=(request.organization_id,)))
    parts = export_polls(services.store.read, game.id, form, content, services.keys.reader_ids)
    return TableFile(CONTENTS[content], form).response(content, parts)


async def export_polls(
    read: Read, game_id: str, form: str, content: str, key: bytes | None = None
) -> AsyncIterator[str]:
    """The file of a liveblog in parts, each read when it is wanted; `read` gives the result of a query.

    `content`: one of CONTENTS. `key`: the service's own, by which the numbers of readers are made; whoever has the database
    need not know it.
    """
    file, key = TableFile(CONTENTS[content], form), key or await read(known_reader_id_key)
    yield file.head()
    if content == "results":
        yield file.text(await read(partial(result_rows, game_id=game_id)))
        return
    after: StoredVote | None = None
    while some := await read(partial(votes.page, game_id=game_id, after=after)):
        yield file.text([_vote_row(game_id, each, key) for each in some])
        after = some[-1]


def result_rows(conn: Connection, game_id: str) -> list[Row]:
    """A row for each option of each poll, also of polls that are not published (any more)."""
    polls = {each.id: each for each in _polls(conn, game_id)}
    tallies = votes.tallies(conn, game_id, list(polls))
    return [
        {"poll": poll.id, "question": poll.question, "option": name, "text": text, "votes": count, "percent": percent}
        for poll in polls.values()
        for counts in [[tallies[poll.id].counts.get(name, 0) for name in poll.options]]
        for (name, text), count, percent in zip(poll.options.items(), counts, percentages(counts), strict=True)
    ]


def _polls(conn: Connection, game_id: str) -> Iterator[ReaderPoll]:
    for event in liveblogs.events(conn, game_id, statuses=None, descending=False):
        for block in nodes(event.document, "contents"):
            if is_poll(block) and (poll := reader_poll(block)) is not None:
                yield poll


def _vote_row(game_id: str, vote: StoredVote, key: bytes) -> Row:
    """The reader as a number that is another one in each liveblog, and that nobody can make who knows the reader's id."""
    number = hmac.digest(key, f"vote {game_id} {vote.reader_id}".encode(), "sha256").hex()[:16]
    return {"poll": vote.poll_id, "reader": number, "options": vote.options, "voted_at": vote.voted_at}
