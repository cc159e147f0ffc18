"""Start on a large database: how long until the daemon is ready, and ready again after `kill -9`.

`python -m bench.large_start` fills a SQLite file with 10,000 liveblogs of 200 events each, 300 of them on live matches, and
starts the daemon on it several times; `--database postgresql://…` does the same on an empty PostgreSQL database. Beside it
stands a start on an empty database of the same kind in the same run, which is the baseline.
"""

# ruff: noqa: RUF001 -- prints multiples; the names in SQL are those of our tables

from __future__ import annotations

import argparse
import json
import secrets
import signal
import tempfile
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from sqlalchemy import Connection, create_engine, insert, select

from bench.daemon_process import RUN, running, start
from bench.measure import Figure, percentile, table
from config import load
from ingest.sync.provider_source import connect
from providers.registry import Registry
from store.engine.unit import Unit
from store.following import follow_rows
from store.tables import events, games
from store.upkeep import command

ORGANIZATION = "5f0c1de2a1b2c3d4e5f60718"
SECRET = secrets.token_hex(16)
READY = 5.0
AGAIN = 2.0
LIVE = 300
BATCH = 20_000
CONFIG = """
[database]
url = "{url}"
[logging]
level = "error"
[organizations.{organization}]
name = "Example"
[organizations.{organization}.providers.heim]
base_url = "http://127.0.0.1:9"
[clients.cms]
secret = "{secret}"
organizations = ["{organization}"]
scopes = ["read", "write"]
"""
GAME = {
    "_type": "Svc::Model::Game",
    "organization_id": ORGANIZATION,
    "template_id": "news",
    "meta_info": {"_type": "Svc::Model::GameMetaInfo::TitleGameMetaInfo", "title": "Storm"},
}
EVENT = {
    "contents": [{"_type": "Svc::Model::Content::RichTextContentBlock", "text": "<p>The wind gets stronger.</p>" * 5}]
}


def post(address: str, path: str, body: dict[str, Any]) -> dict[str, Any]:
    """The response to an authenticated POST."""
    url = f"{address}/api/v5/write/{path}&client_id=cms&client_secret={SECRET}"
    request = Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
    try:
        with urlopen(request, timeout=30) as response:
            found: dict[str, Any] = json.load(response)
            return found
    except HTTPError as error:
        raise SystemExit(error.read().decode()) from error


def seconds(folder: Path, how: signal.Signals, rounds: int) -> list[float]:
    """Seconds from start to ready, each after the process before was ended in this way."""
    found = []
    process = start(RUN, folder)
    for _ in range(rounds):
        process.end(how)
        process = start(RUN, folder)
        found.append(process.took)
    process.end()
    return found


def prepared(folder: Path, url: str) -> Path:
    folder.mkdir()
    (folder / "matchwire.toml").write_text(CONFIG.format(url=url, organization=ORGANIZATION, secret=SECRET))
    return folder


def fill(folder: Path, url: str, liveblogs: int, posts: int) -> None:
    """One liveblog with one post by the API, then as many copies of both as are wanted, the first ones on live matches."""
    with running(RUN, folder) as process:
        made = post(process.address, "ticker/create.json?", GAME)
        post(process.address, f"event/create.json?ticker_local_id={made['local_id']}", EVENT)
    engine = create_engine(url.replace("+aiosqlite", "").replace("postgresql://", "postgresql+psycopg://"))
    with closing(engine.connect()) as connection, connection.begin():
        _copy(connection, liveblogs, posts)
    engine.dispose()
    settings = load(folder / "matchwire.toml", {})
    (source,) = connect(settings, Registry.load()).values()
    command.run(url, partial(_attach, endpoint=source.adapter.endpoint.key, count=min(LIVE, liveblogs)), timeout=60)


def _copy(connection: Connection, liveblogs: int, posts: int) -> None:
    game = dict(connection.execute(select(games)).one()._mapping)  # noqa: SLF001 -- public, in spite of its name
    post = dict(connection.execute(select(events)).one()._mapping)  # noqa: SLF001 -- likewise
    copies = [game | {"id": f"{n:024x}", "local_id": f"g{n:020d}", "serial": posts} for n in range(liveblogs)]
    connection.execute(insert(games), copies)
    batch: list[dict[str, Any]] = []
    for row in _posts(post, liveblogs, posts):
        batch.append(row)
        if len(batch) == BATCH:
            connection.execute(insert(events), batch)
            batch.clear()
    if batch:
        connection.execute(insert(events), batch)


def _posts(post: dict[str, Any], liveblogs: int, posts: int) -> Iterator[dict[str, Any]]:
    for n in range(liveblogs):
        for m in range(posts):
            yield post | {"local_id": f"e{n:010d}{m:010d}", "game_id": f"{n:024x}", "serial": m, "sort": f"{m:020d}"}


def _attach(unit: Unit, endpoint: str, count: int) -> None:
    for n in range(count):
        match = {"provider": "heim", "organization_id": ORGANIZATION, "match_id": str(9_000_000 + n)}
        follow = follow_rows.follow_for(
            unit, follow_rows.NewFollow(endpoint=endpoint, sport="soccer", status="live", **match)
        )
        selector, terms = {"kind": "match", "id": match["match_id"]}, {"sport": "soccer"}
        follow_rows.attach(
            unit,
            follow_rows.Attachment(game_id=f"{n:024x}", follow_id=follow.id, selector=selector, terms=terms, **match),
        )


def measured(url: str | None, liveblogs: int, posts: int, rounds: int) -> list[Figure]:
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        large = prepared(place / "large", url or f"sqlite+aiosqlite:///{place}/large.db")
        empty = prepared(place / "empty", f"sqlite+aiosqlite:///{place}/empty.db")
        fill(large, url or f"sqlite+aiosqlite:///{place}/large.db", liveblogs, posts)
        baseline = seconds(empty, signal.SIGTERM, rounds)
        starts = seconds(large, signal.SIGTERM, rounds)
        again = seconds(large, signal.SIGKILL, rounds)
    shown = f"{median(starts):.2f} s, {max(starts):.2f} at most; {median(starts) / median(baseline):.2f} × an empty one"
    worst = percentile(again, 0.99)
    return [
        Figure(
            f"start to ready, {liveblogs} liveblogs, {liveblogs * posts} events", shown, "< 5 s", max(starts) < READY
        ),
        Figure("kill -9 to ready again", f"{median(again):.2f} s, p99 {worst:.2f} s", "p99 ≤ 2 s", worst <= AGAIN),
    ]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--database", metavar="URL", help="an empty PostgreSQL database")
    options.add_argument("--liveblogs", type=int, default=10_000)
    options.add_argument("--events", type=int, default=200, help="of each liveblog")
    options.add_argument("--rounds", type=int, default=10)
    given = options.parse_args()
    print(table(measured(given.database, given.liveblogs, given.events, given.rounds)))


if __name__ == "__main__":
    main()
