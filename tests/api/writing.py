"""What tests of the event operations have in common: a desk that posts, and the words that posts are made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import httpx

from tests.api import matchday

PATH = "/api/v5/write/event"
DELTA = "/api/v6/ticker/show.json"
CONTENT = "Svc::Model::Content"
DESK = ("desk", matchday.SECRET)
STRANGER = ("stranger", matchday.SECRET)


def text(words: str = "Calm before the storm.", **more: Any) -> dict[str, Any]:
    return {"_type": f"{CONTENT}::RichTextContentBlock", "text": words, **more}


def post(words: str = "Calm before the storm.", **more: Any) -> dict[str, Any]:
    return {"_type": "Svc::Model::Event", "contents": [text(words)], **more}


def photo(url: str = "https://img.example.org/1.jpg", **more: Any) -> dict[str, Any]:
    item = {"_type": f"{CONTENT}::ImageMediaContent", "source_url": url, **more}
    return {"_type": f"{CONTENT}::MultiMediaContentBlock", "items": [item]}


@dataclass
class Desk:
    """A client that writes to one liveblog."""

    http: httpx.AsyncClient
    liveblog: str = "gderby"
    auth: tuple[str, str] = DESK

    async def ask(self, operation: str, body: Any = None, **params: Any) -> httpx.Response:
        headers = params.pop("headers", None)
        return await self.http.post(
            f"{PATH}/{operation}.json", params=params, json=body, auth=self.auth, headers=headers
        )

    async def create(self, body: dict[str, Any] | None = None, **params: Any) -> dict[str, Any]:
        answer = await self.ask("create", post() if body is None else body, ticker_local_id=self.liveblog, **params)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def update(self, event: str, body: dict[str, Any], **params: Any) -> dict[str, Any]:
        answer = await self.ask("update", body, event_local_id=event, **params)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def delete(self, event: str, **params: Any) -> dict[str, Any]:
        answer = await self.ask("delete", event_local_id=event, **params)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def refused(self, operation: str, body: Any, **params: Any) -> tuple[int, str | None]:
        """(status, field) of an error of the house's one shape."""
        answer = await self.ask(operation, body, **params)
        error = answer.json()
        assert answer.status_code >= 400, answer.text
        assert set(error) <= {"code", "message", "field", "retryable"}
        assert error["code"]
        assert error["message"]
        return answer.status_code, error.get("field")

    async def delta(self, **params: Any) -> dict[str, Any]:
        answer = await self.http.get(DELTA, params={"id": self.liveblog, **params}, auth=self.auth)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def whole(self, refresh: int = 0, limit: int = 7) -> tuple[int, dict[str, Any]]:
        """All pages of a delta read: the version it leads to, and events by `local_id`, tombstones included."""
        found: dict[str, Any] = {}
        answer = await self.delta(refresh=refresh, limit=limit)
        version = answer["version"]
        while True:
            found |= {event["local_id"]: event for event in answer["events"]}
            if not answer["more"]:
                return version, found
            answer = await self.delta(refresh=refresh, limit=limit, continue_event_id=answer["events"][-1]["local_id"])

    async def show(self) -> dict[str, Any]:
        answer = await self.http.get(
            "/api/v5/write/ticker/show.json", params={"local_id": self.liveblog}, auth=self.auth
        )
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def feed(self) -> list[str]:
        params = {"liveblogId": self.liveblog, "limit": 1000}
        answer = await self.http.get("/api/embed/v4/feed/liveblog.json", params=params, auth=self.auth)
        assert answer.status_code == 200, answer.text
        return [item["id"] for item in answer.json()["items"]]


def applied(known: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """What a reader holds after a delta: changed posts replaced, tombstones forgotten."""
    held = known | changes
    return {name: event for name, event in held.items() if event["local_status"] == 0}
