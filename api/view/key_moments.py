"""What the document and the public posts of a liveblog say, whatever they hold: key moments, recap, result, players' deeds."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import NamedTuple, NotRequired
from urllib.parse import quote

import structlog
from sqlalchemy import Connection
from typing_extensions import TypedDict

from api.http.json_path import RENDER_ERRORS, Json, node, nodes, number, text
from api.view.liveblog_access import public_documents
from api.view.post_content import (
    Names,
    incident_blocks,
    is_milestone,
    minute,
    names_of,
    one_line,
    plain_text,
    player_name,
    short_name,
)
from api.view.references import complete, sport_of
from mapping.documents.state import SHOOTOUT
from mapping.locales import Translator, translator
from mapping.locales.labels import INTERRUPTED, Result
from mapping.match.match import Score, SideName, Status
from mapping.posts.key_moments import KeyMoment, Kick, MatchState, Play, key_moments, shootout_kicks
from mapping.posts.recap import recap, result_line
from mapping.posts.wording import is_of_shootout
from mapping.sports import Sport
from mapping.sports.base import MomentType
from store.engine.liveblog_records import StoredGame
from store.liveblogs.event_reads import incidents, is_highlighted

log = structlog.get_logger(__name__)

FIRST_PLACES = 3
SIDES: Mapping[str, SideName] = {"home": "home", "away": "away"}
_COUNT = re.compile(r"[0-9]{1,6}")
SHOWN = {
    ("goal", "scorer"): "goal",
    ("goal", "own-goal"): "own-goal",
    ("own-goal", "scorer"): "own-goal",
    ("penalty-kick-missed", "player"): "penalty-kick-missed",
    ("yellow-card", "player"): "yellow-card",
    ("yellow-red-card", "player"): "yellow-red-card",
    ("red-card", "player"): "red-card",
    ("substitution", "in"): "in",
    ("substitution", "out"): "out",
}
"""Last part of an event type and role → the drawing that says what the player did."""
LETTERS = 4
"""Of a short name that is an abbreviation, where all are capitals."""


class KeyMoments(NamedTuple):
    """The key moments of a liveblog, oldest first, its recap, what each player did, and the kicks of the shoot-out.

    `expected`: there are or will be some, or posts that people have marked as such.
    """

    moments: tuple[KeyMoment, ...]
    recap: str
    player_events: Mapping[str, tuple[PlayerEvent, ...]] = MappingProxyType({})
    expected: bool = True
    kicks: tuple[Kick, ...] = ()


NO_KEY_MOMENTS = KeyMoments((), "")


def key_moments_of(conn: Connection, game: StoredGame) -> KeyMoments:
    """The key moments and the recap, as the database has all posts now."""
    document, *posts = complete(conn, [game.as_document(), *public_documents(incidents(conn, game.id))])
    found = moments_of(document, posts)
    reported = any(kind.moment for kind in sport_of(document).reported)
    return found._replace(expected=bool(reported or found.moments) or is_highlighted(conn, game.id))


def moments_of(game: Json, posts: Sequence[Json]) -> KeyMoments:
    """The same of a game, its references resolved, of which `posts` are all public ones with an incident, oldest first."""
    squads, texts = names_of(node(game, "squads")), translator(text(game, "locale") or "en")
    plays = [play for post in posts for play in _safe_plays(post, squads)]
    sport, state = sport_of(game), state_of(game, texts)
    moments = key_moments(sport, state, plays, texts)
    return KeyMoments(
        moments,
        recap(sport, state, moments, texts),
        player_events_of(sport, posts, texts),
        kicks=shootout_kicks(sport, state, plays, texts),
    )


class PairOfScores(TypedDict, total=False):
    """The score after a key moment."""

    home_score: str
    away_score: str


class KeyEvent(TypedDict):
    """A key moment as programs get it."""

    type: MomentType
    event_type: str
    local_id: str
    url: str
    text: str
    time_of_play: NotRequired[str]
    phase: NotRequired[str]
    team: NotRequired[str]
    player: NotRequired[str]
    score: NotRequired[PairOfScores]


def as_json(moment: KeyMoment, page: str) -> Json:
    """The moment as a `KeyEvent`, with the address of its post; what is not known is left out."""
    score = moment.score and {"home_score": str(moment.score.home), "away_score": str(moment.score.away)}
    found = {
        "type": str(moment.type),
        "event_type": moment.event_type,
        "local_id": moment.local_id,
        "url": f"{page}#{quote(moment.local_id, safe='')}",
        "time_of_play": moment.minute,
        "phase": moment.phase,
        "score": score,
        "team": moment.team,
        "player": moment.player,
        "text": moment.text,
    }
    return {name: each for name, each in found.items() if each}


def state_of(game: Json, texts: Translator) -> MatchState:
    """What the head of the liveblog shows, in whose language `texts` are."""
    board, info = node(game, "scoreboard"), node(game, "state_info")
    meta = node(game, "meta_info")
    parts = [(text(each, "title"), score_of(each)) for each in nodes(board, "scores")]
    lap, laps, interruption = text(info, "lap"), text(info, "total_laps"), interruption_of(game, texts)
    return MatchState(
        home=short_name(node(board, "home_team")) or short_name(node(meta, "home_team")),
        away=short_name(node(board, "away_team")) or short_name(node(meta, "away_team")),
        score=score_of(node(board, "score")),
        decided=text(board, "score", "title"),
        parts=tuple((title, score) for title, score in parts if score is not None),
        gamestate=number(info, "gamestate"),
        in_break=info.get("is_break") is True,
        phase=number(info, "recurrence") or number(info, "set") or 0,
        ranking=_first_places(info),
        timed=info.get("timed") is True,
        lap="/".join(filter(None, (lap, laps))) if lap else "",
        winner=SIDES.get(text(board, "winner")),
        interrupted=None if interruption is None else INTERRUPTED[interruption],
    )


def interruption_of(game: Json, texts: Translator) -> Status | None:
    """What became of a match that was not played as planned: its summary says so in the liveblog's language."""
    said = text(game, "summary")
    return next((status for status, label in INTERRUPTED.items() if texts.text(label) == said), None)


def _first_places(state: Json) -> tuple[str, ...]:
    """The names of the first places, as far as they are known without a gap."""
    named = {
        number(each, "position"): short_name(node(each, "player")) or short_name(node(each, "team"))
        for each in nodes(state, "ranking")
    }
    places = [named.get(place, "") for place in range(1, FIRST_PLACES + 1)]
    return tuple(places[: places.index("")] if "" in places else places)


def score_of(score: Json) -> Score | None:
    """A pair of scores as numbers; None unless both are."""
    pair = text(score, "home_score"), text(score, "away_score")
    return Score(*map(int, pair)) if all(map(_COUNT.fullmatch, pair)) else None


def _safe_plays(post: Json, squads: Names) -> list[Play]:
    """The incidents of a post, none of one that cannot be read, which is logged."""
    try:
        return list(_plays(post, squads))
    except RENDER_ERRORS as error:
        log.warning("key_moments.post_left_out", local_id=text(post, "local_id"), cause=type(error).__name__)
        return []


def _plays(post: Json, squads: Names) -> Iterator[Play]:
    """The incidents that a post shows, beside its text and within it; of a milestone without any, that it is one."""
    blocks = [node(post, "sport_event"), *incident_blocks(post)]
    shown = {text(each, "local_id") or str(at): each for at, each in enumerate(blocks) if text(each, "event_type")}
    for each in shown.values():
        yield _play(post, each, squads, alone=len(shown) == 1)
    if not shown and is_milestone(post):
        yield _play(post, {}, squads, alone=True)


def _play(post: Json, block: Json, squads: Names, *, alone: bool) -> Play:
    people = [
        (text(each, "event_player_type"), player_name(node(each, "player"), squads)) for each in nodes(block, "players")
    ]
    return Play(
        local_id=text(post, "local_id"),
        kind=text(block, "event_type"),
        title=one_line(text(block, "title")),
        headline=one_line(text(post, "headline")) if alone and is_milestone(post) else "",
        text=one_line(plain_text(post)) if alone else "",
        minute=minute({"sport_event": block}),
        phase=text(block, "phase", "name"),
        team=short_name(node(block, "team")),
        roles=tuple((role, name) for role, name in people if name),
        score=score_of(node(block, "score")),
        milestone=is_milestone(post),
    )


class PlayerEvent(NamedTuple):
    """What a player did: the name of its drawing, what it is called, and when it was, as it is read."""

    drawing: str
    title: str
    minute: str


def player_events_of(sport: Sport, posts: Iterable[Json], texts: Translator) -> Mapping[str, tuple[PlayerEvent, ...]]:
    """The deeds of each player by `identity`, from public posts in the language of `texts`, oldest first; none of a shoot-out."""
    found: dict[str, list[PlayerEvent]] = defaultdict(list)
    for post in posts:
        event = node(post, "sport_event")
        kicking = is_of_shootout(sport, text(event, "phase", "name"), texts)
        if kicking or sport.kind(text(event, "event_type")).enters == SHOOTOUT:
            break
        for each in nodes(event, "players"):
            drawing = SHOWN.get((text(event, "event_type").rpartition(".")[2], text(each, "event_player_type")))
            if drawing is not None:
                title = text(each, "event_player_title") if drawing in {"in", "out"} else text(event, "title")
                found[identity(node(each, "player"))].append(PlayerEvent(drawing, title, minute(post)))
    return {name: tuple(player_events) for name, player_events in found.items() if name}


def identity(player: Json) -> str:
    """What distinguishes a player from others of the same name, as far as anything does."""
    return text(player, "_id") or text(player, "local_id") or text(player, "name")


def result_of(game: Json) -> str:
    """The result as plain text, `Croatia win 3-2 on penalties`; empty before the end, and where nobody knows it."""
    texts = translator(text(game, "locale") or "en")
    state = state_of(game, texts)
    home, away = (_spoken_name(game, side) for side in ("home", "away"))
    return result_line(sport_of(game), replace(state, home=home or state.home, away=away or state.away), texts)


def _spoken_name(game: Json, side: str) -> str:
    """The short name of a team, its name where that is letters alone, such as `FCB`."""
    team = node(game, "scoreboard", f"{side}_team") or node(game, "meta_info", f"{side}_team")
    short, name = short_name(team), text(team, "name")
    return name if len(short) <= LETTERS and short.isupper() else short


def with_result(game: Json, title: str) -> str:
    """The title of the liveblog with the result of its match behind it, once there is one."""
    result = result_of(game)
    return translator(text(game, "locale") or "en").text(Result.TITLE, title=title, result=result) if result else title
