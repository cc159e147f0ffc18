"""References to master data, checked and resolved, and the liveblog decorated with them, its events and its provider."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

import structlog
from sqlalchemy import Connection

from api.http.json_path import Json, node, text
from api.view.liveblog_access import documents
from api.view.post_content import tally
from mapping.documents.game import COMPACT_EVENT
from mapping.documents.scalars import LocalStatus, post_is_public
from mapping.errors import Unprocessable
from mapping.liveblog.event_patch import editor_document, event_document
from mapping.match.references import RecordName, Reference, named_by, named_in, references
from mapping.posts.game_summary import Extent, extent_of, game_summary
from mapping.sports import SPORTS, Sport
from mapping.sports.base import MomentType
from store.accounts.accounts import names_of
from store.engine.errors import UnreadableRow
from store.engine.liveblog_records import StoredGame, reading
from store.following import follow_rows, sources
from store.liveblogs import listing, liveblogs
from store.masterdata import declarations, masterdata
from store.tables import locations, players, teams, tournaments

OPTIONAL = ("options", "state_info", "scoreboard", "marketplace_info")
SQUADS = "Svc::Model::Squads"
EDITABLE = (LocalStatus.PUBLISHED, LocalStatus.UNPUBLISHED)
TABLES = {"Team": teams, "Player": players, "Tournament": tournaments, "Location": locations}
"""Kind of a reference → where its record stands."""
AT_ONCE = 500
"""Ids in one query; databases bound them."""


log = structlog.get_logger(__name__)


def decorate(
    conn: Connection, game: StoredGame, *, compact: bool = False, owner_name: Callable[[str], str | None] | None = None
) -> Json:
    """The game as `ticker/show` gives it, oldest event first, drafts included; `compact` abbreviates the events."""
    if compact:
        return decorate_compact(conn, [game], owner_name=owner_name)[0]
    events = documents(liveblogs.events(conn, game.id, statuses=EDITABLE, descending=False))
    names = writer_names(conn, events)
    resolved, *posts = complete(conn, [game.as_document(), *(event_document(event, called=names) for event in events)])
    beside = _beside(conn, game, resolved, events, owner_name)
    return {**resolved, **beside, **_external(externals(conn, [game.id]), game), "events": posts}


def decorate_compact(
    conn: Connection, games: Sequence[StoredGame], *, owner_name: Callable[[str], str | None] | None = None
) -> list[Json]:
    """The games with abbreviated events, of which no more is read than that takes."""
    ids = [game.id for game in games]
    outlines, external = listing.outlines(conn, ids), externals(conn, ids)
    resolved = complete(conn, [game.as_document() for game in games])
    complete_games = []
    for game, document in zip(games, resolved, strict=True):
        events = documents(outlines[game.id])
        beside = _beside(conn, game, document, events, owner_name) | _external(external, game)
        complete_games.append({**document, **beside, "events": [abbreviate(event) for event in events]})
    return complete_games


def _external(found: Mapping[str, Json], game: StoredGame) -> Json:
    """The connection to the provider, of a liveblog that has one."""
    return {"external": found[game.id]} if game.id in found else {}


def _beside(
    conn: Connection,
    game: StoredGame,
    resolved: Json,
    events: Sequence[Json],
    owner_name: Callable[[str], str | None] | None,
) -> Json:
    """What a decorated game says beside its document."""
    public = [each for each in events if post_is_public(each["local_status"], each.get("publish_at"))]
    writers = {*map(_writer, events)} - {""}
    names = names_of(conn, writers)
    return {
        **{name: resolved.get(name) for name in OPTIONAL},
        **({"squads": {"_type": SQUADS, **squads}} if (squads := node(resolved, "squads")) else {}),
        "sportstype": game.sportstype,
        "summary": summary_of(resolved, public, extent_of(public)),
        "summary_text": summary(resolved),
        "owner": owner(game.organization_id, owner_name),
        "editors": [editor_document(writer, names) for writer in sorted(writers)],
        "tags": resolved.get("tags") or [],
        "permissions": resolved.get("permissions") or [],
        "custom_template": custom_template(conn, game),
    }


def summary_of(game: Json, posts: Sequence[Json], extent: Extent) -> Json:
    """What the liveblog says of its public posts as a whole: of those of the extent, and of these in particular."""
    goals = frozenset(kind.id for kind in sport_of(game).kinds if kind.moment is MomentType.GOAL)
    return game_summary(posts, extent, goals, commented=node(game, "meta_info").get("allow_comments") is True)


def sport_of(game: Json) -> Sport:
    """The sport of a liveblog; one that has no rows has neither phases nor sets."""
    name = text(game, "sportstype") or text(game, "template_id")
    return SPORTS.get(name) or Sport(id=name, scoreboard=True)


def writer_names(conn: Connection, events: Iterable[Json]) -> Mapping[str, str]:
    """What the people are called who have written these events, by their ids; clients have no other name than their ids."""
    return names_of(conn, {_writer(event) for event in events})


def _writer(event: Json) -> str:
    return text(event, "editor") or text(event, "user_id")


def abbreviate(event: Json) -> Json:
    """The event as the compact form shows it."""
    return {name: event.get(name, []) for name in COMPACT_EVENT}


def summary(game: Json) -> str:
    """One line about the liveblog: its own, else its title with the score where there is one."""
    if own := text(game, "summary"):
        return own
    score = tally(node(game, "scoreboard", "score"), text(game, "locale") or "en")
    return " ".join(filter(None, [text(game, "meta_info", "title"), score]))


def owner(organization_id: str, name_of: Callable[[str], str | None] | None) -> Json:
    name = name_of(organization_id) if name_of else None
    return {"_type": "Svc::Model::Organization", "_id": organization_id, **({"name": name} if name else {})}


def custom_template(conn: Connection, game: StoredGame) -> Json | None:
    """The template where it is one of the organization's own, None for a sport's."""
    if game.template_id == game.sportstype:
        return None
    declared = declarations.find_declaration(conn, "template", game.template_id, [game.organization_id])
    name = declared.fields.get("name") if declared else None
    return {
        "_type": "Svc::Model::CustomTemplate",
        "_id": game.template_id,
        **({"name": name} if name else {}),
        "sportstype": game.sportstype,
    }


def complete(conn: Connection, documents: list[Json]) -> list[Json]:
    """The documents with every reference to master data in them resolved."""
    found = named_in(documents)
    named = {name: record.as_document() for name, record in records(conn, found).items()} if found else {}
    return [resolve(document, named) for document in documents] if named else documents


def records(conn: Connection, wanted: Iterable[RecordName]) -> dict[RecordName, masterdata.Master]:
    """The master data records that are named; those that do not exist are left out."""
    found: dict[RecordName, masterdata.Master] = {}
    for name, table in TABLES.items():
        ids = sorted({object_id for each, object_id in wanted if each == name})
        for start in range(0, len(ids), AT_ONCE):
            part = masterdata.find(conn, table, ids[start : start + AT_ONCE])
            found |= {(name, object_id): record for object_id, record in part.items()}
    return found


def check_references(
    conn: Connection, sent: Json, *, visible: Collection[str], known: Mapping[str, Any]
) -> list[Reference]:
    """The references of the document that are new to it; raises Unprocessable, with the path, for one to no visible record.

    `visible`: organizations whose records may be named. `known`: the document so far, whose references need no check.
    """
    if not named_in([sent]):
        return []
    before = {(each.kind, each.id) for each in references(known)}
    named = [each for each in references(sent) if (each.kind, each.id) not in before]
    found = records(conn, {(each.kind, each.id) for each in named})
    for each in named:
        record = found.get((each.kind, each.id))
        if record is None or record.owner_id not in visible:
            raise Unprocessable(f"there is no such {each.kind.lower()}", field=each.path)
    return named


def resolve(value: Any, named: Mapping[RecordName, Json]) -> Any:
    """The value with every reference completed; what the document itself says of a team or player wins."""
    if isinstance(value, list):
        return [resolve(each, named) for each in value]
    if not isinstance(value, dict):
        return value
    own = {name: resolve(each, named) for name, each in value.items()}
    reference = named_by(value)
    if reference is None or reference not in named:
        return own
    return {**named[reference], **{name: each for name, each in own.items() if each is not None}}


def externals(conn: Connection, game_ids: Sequence[str]) -> dict[str, dict[str, Any]]:
    """`external` of those of the liveblogs that are on a match, by `ticker_id`: match, terms, and health of the feed.

    One whose rows cannot be read is left out and logged.
    """
    try:
        return _externals(conn, game_ids)
    except UnreadableRow as error:
        if len(game_ids) == 1:
            log.warning("external.unreadable", liveblog=game_ids[0], reason=str(error))
            return {}
    return {key: found for game_id in game_ids for key, found in externals(conn, [game_id]).items()}


def _externals(conn: Connection, game_ids: Sequence[str]) -> dict[str, dict[str, Any]]:
    with reading("attachments, resources"):
        found_on = sources.sources_of(conn, game_ids)
        health = sources.resources_of(conn, {source.follow_id for source in found_on})
        return {source.game_id: describe_source(source, health.get(source.follow_id, {})) for source in found_on}


def describe_source(source: sources.Source, resources: Mapping[str, follow_rows.ResourceRow]) -> dict[str, Any]:
    """`external` of a liveblog. Raises UnreadableRow."""
    terms = follow_rows.terms_of(source)
    return {
        "_type": "Svc::Model::External",
        "provider": source.provider,
        "selector": {
            "_type": "Svc::Model::ExternalSelector",
            f"{source.selector['kind']}Id": source.selector["id"],
            "matchId": source.match_id,
        },
        "autoPost": {
            "_type": "Svc::Model::ExternalAutoPost",
            "enabled": terms.auto_post,
            "excludeScoreboard": terms.exclude_scoreboard,
            "excludeEvents": sorted(terms.exclude_events),
            "includeTextContent": terms.text,
        },
        "locale": terms.locale,
        "paused": terms.paused,
        "status": source.status,
        "feedHealth": {
            name: {
                "_type": "Svc::Model::FeedHealth",
                "lastGood": row.good_at,
                "lastChange": row.changed_at,
                "failures": row.failures,
                "skipped": len(row.faults),
            }
            for name, row in resources.items()
        },
    }
