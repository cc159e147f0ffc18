"""What was counted of a liveblog's readers as a file: CSV without formulas, or JSON Lines; sums alone, nobody is in it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from functools import partial

from starlette.responses import Response

from api.http import openapi, table_export
from api.http.json_path import rfc3339
from api.http.request import ApiRequest
from api.http.table_export import FORMAT, Read, Row, TableFile
from store.liveblogs import liveblogs
from store.statistics import statistics
from store.statistics.statistics import CountKey, LoadSums

PATH = "/api/analytics/v6/stats/liveblog/{id}/export"
COLUMNS = ("start", "origin", "location", "loads", "loads_more", "sampled", "retention_ms", "retention_views")
PAGE = 500
EXPORT = openapi.operation(
    "stats.export",
    "What was counted of a liveblog's readers as a file",
    "Statistics",
    {200: table_export.response("A row for each minute (later quarter of an hour) and page"), **openapi.READ_ERRORS},
    parameters=[openapi.in_path("id", openapi.LIVEBLOG), FORMAT],
)


async def export(request: ApiRequest) -> Response:
    """All counts of a liveblog (ours: Statistics)."""
    name, form = request.path_params["id"], FORMAT.of(request.context.query)
    store, own = request.services.store, request.caller.organizations
    game = await store.read(partial(liveblogs.own_game, name=name, organizations=own, field="id"))
    return TableFile(COLUMNS, form).response("statistics", export_statistics(store.read, game.id, form))


async def export_statistics(read: Read, game_id: str, form: str) -> AsyncIterator[str]:
    """The file of a liveblog in parts, each read when it is wanted; `read` gives the result of a query."""
    file = TableFile(COLUMNS, form)
    yield file.head()
    after: CountKey | None = None
    while found := await read(partial(statistics.page, game_id=game_id, after=after, limit=PAGE)):
        yield file.text([_row(*each) for each in found])
        after = found[-1][0]


def _row(key: CountKey, sums: LoadSums) -> Row:
    return dict(zip(COLUMNS, (rfc3339(key.slot), key.origin, key.location, *sums), strict=True))
