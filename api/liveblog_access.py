"""Who may write events of which liveblog, and whether somebody else was faster."""

from __future__ import annotations

from typing import TYPE_CHECKING

from api.json_path import nodes, text
from api.reading import NO_LIVEBLOG
from mapping.errors import Conflict, InvalidRequest, NotFound
from store import liveblogs

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.datastructures import Headers

    from api.auth import Caller
    from store.liveblogs import StoredGame
    from store.unit import Unit

WRITE = "w"
LIVEBLOG = ("ticker_local_id", "ticker_id")
"""Query parameters that name the liveblog of an event; either takes either kind of name."""
MAX_DIGITS = 15


def may_write_events(game: StoredGame, caller: Caller) -> bool:
    """The owner's clients, and whoever the liveblog grants `w`: an organization, or a single client."""
    if game.organization_id in caller.organizations:
        return True
    granted = {
        (text(each, "reftype"), text(each, "refid"))
        for each in nodes(game.document, "permissions")
        if text(each, "permission") == WRITE
    }
    mine = {("Client", caller.client_id), *(("Organization", name) for name in caller.organizations)}
    return not granted.isdisjoint(mine)


def named_liveblog(query: Mapping[str, str]) -> dict[str, str]:
    """The query's names of the liveblog, by parameter; raises InvalidRequest where there is none."""
    names = {name: query[name] for name in LIVEBLOG if query.get(name)}
    if not names:
        raise InvalidRequest(f"{LIVEBLOG[0]} is missing", field=LIVEBLOG[0])
    return names


def writable_game(unit: Unit, names: Mapping[str, str], caller: Caller) -> StoredGame:
    """The liveblog, locked for this unit, in which the caller may write events; raises NotFound, InvalidRequest."""
    (field, name), *others = names.items()
    try:
        game = liveblogs.lock_game(unit, name)
    except NotFound:
        raise NotFound(NO_LIVEBLOG, field=field) from None
    if not may_write_events(game, caller):
        raise NotFound(NO_LIVEBLOG, field=field)
    if any(other not in {game.id, game.local_id} for _, other in others):
        raise InvalidRequest(f"{' and '.join(names)} name different liveblogs", field=field)
    return game


def expected_version(headers: Headers) -> int | None:
    """The version in `If-Match`; None where there is none or any will do. Raises InvalidRequest."""
    given = headers.getlist("if-match")
    if not given or given == ["*"]:
        return None
    digits = given[0].strip().removeprefix("W/").strip('"')
    if len(given) > 1 or not (digits.isascii() and digits.isdigit() and len(digits) <= MAX_DIGITS):
        raise InvalidRequest("If-Match should be one version", field="If-Match")
    return int(digits)


def check_version(expected: int | None, *, changed: int, current: int) -> None:
    """Raise Conflict unless nothing was changed since `expected`.

    `changed`: the version at which what is to be written was changed last; `current`: that of the liveblog.
    """
    if expected is not None and not changed <= expected <= current:
        raise Conflict(f"somebody else was faster: the version is {changed}", field="If-Match")
