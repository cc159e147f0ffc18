"""Liveblogs with polls, and readers who vote."""

from dataclasses import dataclass
from typing import Any

import httpx

from mapping.readers import reader_token
from mapping.readers.reader_token import VerifiedReader
from tests.api.conftest import NOW
from tests.kit import matchday

CONTENT = "Svc::Model::Content"
POLLS = "/apigw/polls/v1/polls"
OPTIONS = [{"id": "a", "text": "Us"}, {"id": "b", "text": "Them"}]
SOLUTION = "Because-of-the-offside"
POLL = {"_type": f"{CONTENT}::PollContentBlock", "local_id": "p1", "question": "Who wins?", "options": OPTIONS}
QUIZ = {
    "_type": f"{CONTENT}::QuizContentBlock",
    "local_id": "q1",
    "question": "Who won in 1972?",
    "options": [{**OPTIONS[0], "correct": False}, {**OPTIONS[1], "correct": True, "why": SOLUTION}],
    "correct_option_id": "b",
    "explanation": SOLUTION,
    "remark": SOLUTION,
}


def liveblog(*posts: Any, name: str = "gpolls", ticker_id: str = "9c" * 12, **more: Any) -> matchday.Liveblog:
    return matchday.Liveblog(local_id=name, ticker_id=ticker_id, document=matchday.document(), events=posts, **more)


def poll_post(block: dict[str, Any], **more: Any) -> Any:
    return matchday.event(f"e{block['local_id']}", NOW - 60, contents=[block], **more)


def reader_of(organization: str, name: str = "r1") -> str:
    """A token of a reader of the organization, signed with the key of the tests' service."""
    return reader_token.issue(b"r" * 32, VerifiedReader(organization, name), NOW)


@dataclass
class Voter:
    """A reader with a token, who is a client's."""

    http: httpx.AsyncClient
    token: str | None
    client: str = "reader"

    async def sent(self, method: str, path: str, **more: Any) -> httpx.Response:
        headers = {} if self.token is None else {"Reader-Token": self.token}
        params = {"client_id": self.client, **more.pop("params", {})}
        return await self.http.request(method, f"{POLLS}/{path}", params=params, headers=headers, **more)

    async def vote(self, poll: str, *options: Any, **params: Any) -> httpx.Response:
        return await self.sent("POST", f"{poll}/votes", json={"options": list(options)}, params=params)

    async def voted(self, poll: str, *options: str) -> dict[str, Any]:
        response = await self.vote(poll, *options)
        assert response.status_code == 200, response.text
        found: dict[str, Any] = response.json()
        return found

    async def read(self, poll: str, **params: Any) -> dict[str, Any]:
        response = await self.sent("GET", poll, params=params)
        assert response.status_code == 200, response.text
        found: dict[str, Any] = response.json()
        return found


def numbers(results: dict[str, Any]) -> list[tuple[int, int]]:
    return [(each["votes"], each["percent"]) for each in results["options"]]
