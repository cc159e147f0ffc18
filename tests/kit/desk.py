"""Requests of an editor's desk to the write API."""

import re
from dataclasses import dataclass
from html.parser import HTMLParser
from typing import Any

import httpx

from tests.kit import matchday
from tests.kit.people import add_account, signed_in

WRITE = "/api/v5/write"
META = "Svc::Model::GameMetaInfo::"
BOARD = "Svc::Model::Content::Scoreboard::"
MODIFICATION = "Svc::Model::Modification::"
TEAM = "Svc::Model::Team"


@dataclass(frozen=True)
class Desk:
    """A client of the API; `name` says which."""

    http: httpx.AsyncClient
    name: str = "desk"

    async def get(self, path: str, **query: Any) -> httpx.Response:
        return await self.http.get(f"{WRITE}/{path}.json", params=query, auth=(self.name, matchday.SECRET))

    async def post(self, path: str, body: Any, **headers: str) -> httpx.Response:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return await self.http.post(f"{WRITE}/{path}.json", json=body, headers=named, auth=(self.name, matchday.SECRET))

    async def made(self, path: str, body: Any) -> dict[str, Any]:
        """The response's document, of a request that must succeed."""
        return good(await self.post(path, body))

    async def read(self, path: str, **query: Any) -> dict[str, Any]:
        return good(await self.get(path, **query))

    async def modify(self, game: dict[str, Any], *modifications: dict[str, Any], **headers: str) -> httpx.Response:
        body = {"local_id": game["local_id"], "modifications": list(modifications)}
        return await self.post("ticker/post_modifications", body, **headers)


def good(response: httpx.Response) -> dict[str, Any]:
    assert response.status_code == 200, response.text
    document: dict[str, Any] = response.json()
    return document


def refused(response: httpx.Response) -> tuple[int, str | None]:
    """Status and field of an error in the one shape."""
    body = response.json()
    assert set(body) <= {"code", "message", "field", "retryable"}, body
    assert {"code", "message", "retryable"} <= set(body)
    return response.status_code, body.get("field")


def player(**fields: Any) -> dict[str, Any]:
    return {"name": "Sören Dahl", "owner_id": matchday.ORGANIZATION, "sportstype": "soccer", **fields}


def team(**fields: Any) -> dict[str, Any]:
    return {"name": "SV Hafenstadt", "owner_id": matchday.ORGANIZATION, "sportstype": "soccer", **fields}


def tournament(**fields: Any) -> dict[str, Any]:
    return {"name": "Küstencup", "owner_id": matchday.ORGANIZATION, "sportstype": "soccer", **fields}


def news(title: str = "Storm warning", **fields: Any) -> dict[str, Any]:
    meta = {"_type": f"{META}TitleGameMetaInfo", "title": title}
    return _game("news", meta, fields)


def team_meta(home: Any, away: Any, **fields: Any) -> dict[str, Any]:
    return {"_type": f"{META}TeamGameMetaInfo", "home_team": home, "away_team": away, **fields}


def match(home: Any = None, away: Any = None, **fields: Any) -> dict[str, Any]:
    meta = team_meta(home or {"name": "SV Hafenstadt"}, away or {"name": "AV Bergheim"})
    return _game("soccer", meta, fields)


def change(kind: str, **fields: Any) -> dict[str, Any]:
    return {"_type": f"{MODIFICATION}{kind}Modification", **fields}


def permission(refid: str, reftype: str = "Organization", letter: str = "w") -> dict[str, Any]:
    return {"permission": letter, "reftype": reftype, "refid": refid}


def _game(template: str, meta: dict[str, Any], fields: dict[str, Any]) -> dict[str, Any]:
    owned = {"organization_id": matchday.ORGANIZATION, "template_id": template, "meta_info": meta}
    return {"_type": "Svc::Model::Game", **owned, **fields}


async def a_person(server, role="editor", **more):
    return await signed_in(server, await add_account(server.store, role=role, email=f"{role}@example.org", **more))


class Attributes(HTMLParser):
    """Names of attributes that run something."""

    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attrs):
        self.found += [
            f"{tag} {name}" for name, value in attrs if name.startswith("on") or "javascript:" in (value or "")[:11]
        ]


def handlers_in(html):
    parser = Attributes()
    parser.feed(html)
    return parser.found


def keys(html):
    return re.findall(r'<li class="match [^>]* data-key="([^"]+)"', html)
