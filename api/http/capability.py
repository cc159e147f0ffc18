"""What others collect of a capability, and the files of tables that it exports; `api.capabilities` lists all of them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from pydantic import BaseModel
from sqlalchemy import Connection
from starlette.responses import Response, StreamingResponse

from api.http.errors import json_bytes
from api.http.json_path import Json
from api.http.param import TEXT, OneOf, words
from api.http.request import Services
from api.http.routing import Route
from config import Settings
from mapping.locales import Translator
from mapping.rules.plain_text import csv_text
from store.database import Store
from store.engine.unit import Unit

Read = Callable[[Callable[[Connection], Any]], Awaitable[Any]]
"""Gives the result of a query."""
Row = dict[str, Any]
FILE_TYPES = {"csv": "text/csv; charset=utf-8", "jsonl": "application/x-ndjson"}
FILE_FORMAT = OneOf("format", "What the file is", choices=words(FILE_TYPES), default="csv")
BETWEEN = "|"
"""Between the values of a cell that has several."""


class PostExtras(NamedTuple):
    """A number that a capability adds to each published post of a liveblog, by `local_id`; 0 for posts that are not there.

    `changed`: when one of them changed last; `read_at`: when they were read. Unix seconds.
    """

    field: str
    numbers: Mapping[str, int]
    type_name: str
    changed: int
    read_at: float

    def document(self, local_id: str) -> Json:
        """What the post of that id has in the field."""
        return {"_type": self.type_name, "channel_id": local_id, "count": self.numbers.get(local_id, 0)}

    @property
    def key(self) -> tuple[str, frozenset[tuple[str, int]]]:
        """As a part of a cache's key."""
        return self.field, frozenset(self.numbers.items())


class Purge(NamedTuple):
    """A job that tidies up: `steps` are units, of which each deletes a little and says whether there may be more.

    `cron`: the minutes at which it is due, five fields in UTC. `steps` get the settings and the time in Unix seconds.
    """

    job: str
    cron: str
    steps: Callable[[Settings, float], Sequence[Callable[[Unit], bool]]]


class LiveBodies(NamedTuple):
    """What a capability sends to readers of streams beside the changes of a liveblog.

    `document`: what is sent with the event. `changes`: liveblog → what can be sent → how often it has changed. `bodies`: the
    JSON of some of these, at a time in Unix seconds.
    """

    event: str
    document: type[BaseModel]
    changes: Callable[[Connection, Sequence[str]], Mapping[str, Mapping[str, int]]]
    bodies: Callable[[Connection, str, Iterable[str], float], Mapping[str, bytes]]


class PagePart(NamedTuple):
    """What a capability has on the page of a liveblog.

    `data`: attributes that its script reads, by name, from the settings, the organization and the liveblog. `posts`: the
    posts with what their blocks need to be shown, at a time in Unix seconds. `block`: the HTML of a block, "" for blocks of
    others. `feed_block`: the same where no script runs, from the block and the address of its post.
    """

    data: Callable[[Settings, str, Json, Translator], Mapping[str, object]] | None = None
    posts: Callable[[Connection, str, Sequence[Json], float], list[Json]] | None = None
    block: Callable[[Json, Translator], str] | None = None
    feed_block: Callable[[Json, str, Translator], str] | None = None


@dataclass(frozen=True, kw_only=True)
class Capability:
    """Everything of a capability that is wired into others. `name` is that of its folders and of its command."""

    name: str
    routes: tuple[Route, ...] = ()
    parts: Callable[[Services, Callable[[], float]], Sequence[object]] = lambda _services, _monotonic: ()
    """Makes what it keeps in a process, from the services and a steady clock."""
    extras: Callable[[Services, str, str, int | None], Awaitable[PostExtras | None]] | None = None
    """What it adds to posts of a liveblog: of the organization, the liveblog's `ticker_id` and the moment that is seen."""
    page: PagePart = field(default_factory=PagePart)
    live: LiveBodies | None = None
    export: Callable[[Any, str, str, str], AsyncIterator[str]] | None = None
    """The parts of a file of a liveblog: from what gives the result of a query, its `ticker_id`, the format, the content."""
    purges: tuple[Purge, ...] = ()
    run: (
        Callable[[Settings, Store, Callable[[], float], Callable[..., Any]], AbstractAsyncContextManager[Any]] | None
    ) = None
    """Lasts as long as the process and gives a part of the services with a `counter` for Prometheus, or None.

    From the settings, the store, a clock in Unix seconds, and what starts a task by its name.
    """


class TableFile(NamedTuple):
    """A file of rows with these columns, in one of `FILE_TYPES`."""

    columns: Sequence[str]
    form: str

    def head(self) -> str:
        """What the file begins with."""
        return csv_text([self.columns]) if self.form == "csv" else ""

    def text(self, rows: Sequence[Row]) -> str:
        """The rows as a part of the file."""
        if self.form == "jsonl":
            return "".join(f"{json_bytes(row).decode()}\n" for row in rows)
        return csv_text([_cell(row[name]) for name in self.columns] for row in rows)

    def response(self, name: str, parts: AsyncIterator[str]) -> Response:
        """The file under this name, of which each part is read when it is wanted."""
        headers = {"Content-Disposition": f'attachment; filename="{name}.{self.form}"'}
        return StreamingResponse(parts, media_type=FILE_TYPES[self.form], headers=headers)


def file_answer(description: str) -> Json:
    """What an operation says of the file that it answers with."""
    content = {kind.partition(";")[0]: {"schema": TEXT} for kind in FILE_TYPES.values()}
    return {"description": description, "content": content}


def _cell(value: Any) -> object:
    return BETWEEN.join(value) if isinstance(value, list) else value
