"""The address at which readers find a liveblog, where that is not its page here: the article that embeds it."""

from __future__ import annotations

import re
from urllib.parse import quote

from api.http.json_path import text
from api.http.param import Query
from config import Settings
from mapping.errors import InvalidRequest
from store.liveblogs.liveblogs import StoredGame

LONGEST = 2048
"""Characters of an address that a request may name."""
WEB = r"^([Hh][Tt][Tt][Pp][Ss]?://[^\x00-\x20\x7f-\x9f\\@/?#]+([/?#][^\x00-\x20\x7f-\x9f\\]*)?)?$"
"""The form of such an address, which nobody but a reader follows; the empty one names none."""
_WEB = re.compile(WEB)
_NAMES = re.compile(r"\{(local_id|ticker_id|external_id)\}")


def article_address(settings: Settings, game: StoredGame) -> str:
    """The liveblog's own `external_url`, else what the pattern of its organization makes of it; empty without either.

    A pattern that names an id which the liveblog does not have makes nothing.
    """
    if own := text(game.document, "external_url"):
        return own
    pattern = settings.organization(game.organization_id).external_url or ""
    ids = {"local_id": game.local_id, "ticker_id": game.id, "external_id": game.external_id or ""}
    if any(not ids[name] for name in _NAMES.findall(pattern)):
        return ""
    return _NAMES.sub(lambda found: quote(ids[found[1]], safe=""), pattern)


def address_in(query: Query, name: str) -> str:
    """The address of an article that a request names, empty where it names none; raises InvalidRequest."""
    url = query.get(name, "")
    if len(url) > LONGEST or not _WEB.fullmatch(url):
        raise InvalidRequest(f"{name} should be an http or https address", field=name)
    return url.partition("#")[0]
