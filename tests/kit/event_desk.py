"""What tests of the event operations have in common: a desk that posts, and the words that posts are made of."""

from dataclasses import dataclass
from typing import Any

import httpx

from tests.kit import matchday

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

    async def send(self, operation: str, body: Any = None, **params: Any) -> httpx.Response:
        headers = params.pop("headers", None)
        return await self.http.post(
            f"{PATH}/{operation}.json", params=params, json=body, auth=self.auth, headers=headers
        )

    async def create(self, body: dict[str, Any] | None = None, **params: Any) -> dict[str, Any]:
        response = await self.send("create", post() if body is None else body, ticker_local_id=self.liveblog, **params)
        assert response.status_code == 200, response.text
        return response.json()

    async def update(self, event: str, body: dict[str, Any], **params: Any) -> dict[str, Any]:
        response = await self.send("update", body, event_local_id=event, **params)
        assert response.status_code == 200, response.text
        return response.json()

    async def delete(self, event: str, **params: Any) -> dict[str, Any]:
        response = await self.send("delete", event_local_id=event, **params)
        assert response.status_code == 200, response.text
        return response.json()

    async def refused(self, operation: str, body: Any, **params: Any) -> tuple[int, str | None]:
        """(status, field) of an error in its one shape."""
        response = await self.send(operation, body, **params)
        error = response.json()
        assert response.status_code >= 400, response.text
        assert set(error) <= {"code", "message", "field", "retryable"}
        assert error["code"]
        assert error["message"]
        return response.status_code, error.get("field")

    async def delta(self, **params: Any) -> dict[str, Any]:
        response = await self.http.get(DELTA, params={"id": self.liveblog, **params}, auth=self.auth)
        assert response.status_code == 200, response.text
        return response.json()

    async def whole(self, refresh: int = 0, limit: int = 7) -> tuple[int, dict[str, Any]]:
        """All pages of a delta read: the version it leads to, and events by `local_id`, tombstones included."""
        found: dict[str, Any] = {}
        response = await self.delta(refresh=refresh, limit=limit)
        version = response["version"]
        while True:
            found |= {event["local_id"]: event for event in response["events"]}
            if not response["more"]:
                return version, found
            response = await self.delta(
                refresh=refresh, limit=limit, continue_event_id=response["events"][-1]["local_id"]
            )

    async def show(self) -> dict[str, Any]:
        response = await self.http.get(
            "/api/v5/write/ticker/show.json", params={"local_id": self.liveblog}, auth=self.auth
        )
        assert response.status_code == 200, response.text
        return response.json()

    async def feed(self) -> list[str]:
        params = {"liveblogId": self.liveblog, "limit": 1000}
        response = await self.http.get("/api/embed/v4/feed/liveblog.json", params=params, auth=self.auth)
        assert response.status_code == 200, response.text
        return [item["id"] for item in response.json()["items"]]


def applied(known: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """What a reader holds after a delta: changed posts replaced, tombstones forgotten."""
    kept = known | changes
    return {name: event for name, event in kept.items() if event["local_status"] == 0}
