"""The results of polls in public posts, as every reader gets them: on pages, in streams, and where a poll is read alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from sqlalchemy import Connection

from api.http.errors import json_bytes
from api.http.json_path import Json, nodes, number
from api.view.liveblog_access import public_documents
from mapping.polls.reader_polls import ReaderPoll, is_poll, reader_poll, results
from store.polls import votes

RESULTS = "_results"
"""Where a rendered poll finds its results: a field that no client can set."""


def with_results(conn: Connection, game_id: str, posts: Sequence[Json], now: float) -> list[Json]:
    """The public posts of a liveblog, whose polls carry their results; `now` in Unix seconds decides which are closed."""
    found = _results(conn, game_id, posts, now)
    return [_shown(post, found) for post in posts]


def results_of(conn: Connection, game_id: str, ids: Iterable[str], now: float) -> dict[str, bytes]:
    """The results of those of these polls that readers may see, as JSON by poll."""
    wanted = list(ids)
    events = {each.local_id: each for name in wanted if (each := votes.poll_event(conn, name)) is not None}
    posts = public_documents([each for each in events.values() if each.game_id == game_id])
    found = _results(conn, game_id, posts, now)
    return {name: json_bytes(found[name]) for name in wanted if name in found}


def _results(conn: Connection, game_id: str, posts: Iterable[Json], now: float) -> dict[str, Json]:
    polls = dict(_polls(posts))
    tallies = votes.tallies(conn, game_id, list(polls))
    return {
        name: results(poll, tallies[name], event_version=version, now=now, shown=poll.shows_results(now, voted=False))
        for name, (poll, version) in polls.items()
    }


def _polls(posts: Iterable[Json]) -> Iterable[tuple[str, tuple[ReaderPoll, int]]]:
    """Each poll by its id, with the version of its post."""
    for post in posts:
        for block in nodes(post, "contents"):
            if is_poll(block) and (poll := reader_poll(block)) is not None:
                yield poll.id, (poll, number(post, "version") or 0)


def _shown(post: Json, found: Mapping[str, Json]) -> Json:
    blocks = nodes(post, "contents")
    if not any(is_poll(each) for each in blocks):
        return post
    shown = [{**each, RESULTS: found.get(str(each.get("local_id")))} if is_poll(each) else each for each in blocks]
    return {**post, "contents": shown}
