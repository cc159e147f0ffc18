"""The votes and results of all polls of a liveblog as a file: CSV without formulas, or JSON Lines; readers have no names in it."""

from __future__ import annotations

import hmac
from collections.abc import AsyncIterator, Iterator
from functools import partial
from typing import NamedTuple

from sqlalchemy import Connection
from starlette.responses import Response

from api.http import openapi, table_export
from api.http.json_path import nodes
from api.http.param import OneOf, words
from api.http.request import ApiRequest
from api.http.table_export import FORMAT, Read, Row, TableFile
from mapping.polls.reader_polls import ReaderPoll, is_poll, percentages, reader_poll
from store.clients.service_keys import known_reader_id_key
from store.liveblogs import liveblogs
from store.polls import votes
from store.polls.votes import StoredVote

PATH = "/apigw/polls/v1/organization/{organizationId}/liveblog/{liveblogId}/export"
CONTENTS = {"votes": ("poll", "reader", "options", "voted_at"),
            "results": ("poll", "question", "option", "text", "votes", "percent")}  # fmt: skip
"""What can be exported, and the columns of it."""
CONTENT = OneOf("content", "What is in it", choices=words(tuple(CONTENTS)), default="votes")
EXPORT = openapi.operation(
    "polls.export",
    "The votes or results of all polls of a liveblog as a file",
    "Polls",
    {
        200: table_export.response("A row for each vote, or for each option"),
        **openapi.READ_ERRORS,
    },
    parameters=[
        openapi.in_path("organizationId"),
        openapi.in_path("liveblogId", openapi.LIVEBLOG),
        FORMAT,
        CONTENT,
    ],
)


class ExportRequest(NamedTuple):
    """What is exported in which format."""

    content: str
    form: str

    @property
    def file(self) -> TableFile:
        return TableFile(CONTENTS[self.content], self.form)


async def export(request: ApiRequest) -> Response:
    """The votes or results of all polls of a liveblog (ours: Polls)."""
    query, name = request.context.query, request.path_params["liveblogId"]
    wanted = ExportRequest(CONTENT.of(query), FORMAT.of(query))
    services = request.services
    game = await services.store.read(partial(liveblogs.own_game, name=name, organizations=(request.organization_id,)))
    return wanted.file.response(
        wanted.content, export_polls(services.store.read, game.id, wanted, services.keys.reader_ids)
    )


async def export_polls(read: Read, game_id: str, wanted: ExportRequest, key: bytes) -> AsyncIterator[str]:
    """The file of a liveblog in parts, each read when it is wanted; `read` gives the result of a query.

    `key`: the service's own, by which the numbers of readers are made.
    """
    yield wanted.file.head()
    if wanted.content == "results":
        yield wanted.file.text(await read(partial(results, game_id=game_id)))
        return
    after: StoredVote | None = None
    while some := await read(partial(votes.page, game_id=game_id, after=after)):
        yield wanted.file.text([_vote(game_id, each, key) for each in some])
        after = some[-1]


def results(conn: Connection, game_id: str) -> list[Row]:
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


def _vote(game_id: str, vote: StoredVote, key: bytes) -> Row:
    """The reader as a number that is another one in each liveblog, and that nobody can make who knows the reader's id."""
    number = hmac.digest(key, f"vote {game_id} {vote.reader_id}".encode(), "sha256").hex()[:16]
    return {"poll": vote.poll_id, "reader": number, "options": vote.options, "voted_at": vote.voted_at}


async def export_of(read: Read, game_id: str, form: str, content: str) -> AsyncIterator[str]:
    """The file for whoever has the database; `content`: one of CONTENTS."""
    key = await read(known_reader_id_key)
    async for part in export_polls(read, game_id, ExportRequest(content, form), key):
        yield part
