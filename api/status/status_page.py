"""Operation: how this process does, for people as a page and for programs as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from starlette.responses import Response

from api.http.errors import json_response
from api.http.json_path import Json
from api.http.openapi import PUBLIC, READ_ERRORS, SECURITY, json_answer
from api.http.param import TEXT
from api.http.request import ApiRequest
from api.http.static import TYPES
from api.page.page_frame import ALONE, document
from mapping.errors import NotFound

LABELS = {
    "matches": "Matches followed",
    "failing": "Matches whose last poll failed",
    "silent": "Running matches without a good answer for too long",
    "endpoints_lost": "Provider endpoints lost",
    "endpoints_limited": "Provider endpoints whose rate limit is too low",
    "updates": "Webhook updates that wait for their first delivery",
    "oldest": "The oldest of them, in seconds",
    "waiting": "Webhook deliveries that wait for another try",
    "active": "Webhook subscriptions",
    "disabled": "Webhook subscriptions, disabled",
}
_OPTIONAL: Json = {"type": ["object", "null"]}
REPORT: Json = {
    "type": "object",
    "required": ["process", "workers", "matches", "followed", "endpoints", "webhooks", "alarms", "missing"],
    "properties": {
        "process": {"type": "object", "description": "version, role, host, pid, startedAt (Unix seconds)"},
        "workers": {"type": ["integer", "null"], "description": "Processes that follow matches; null: unknown"},
        "matches": _OPTIONAL | {"description": "How many are followed, failing, silent; null on an API process"},
        "followed": {
            "type": "array",
            "items": {"type": "object"},
            "description": "The matches of this process, those in trouble first, at most 200: match, endpoint, status, silent, "
            "failures, pending, standingStill, lastGood, age, lastChange, nextPoll, saidToSeen, seenToCommitted",
        },
        "endpoints": {
            "type": "array",
            "items": {"type": "object"},
            "description": "name, state, cause, demand, matches, lastGood, age, and in milliseconds (p50, p95, p99, count) "
            "saidToSeen, seenToCommitted of the latest posts; null for none",
        },
        "webhooks": _OPTIONAL | {"description": "What waits: updates, oldest (seconds), waiting, active, disabled"},
        "alarms": {
            "type": "array",
            "items": {"type": "object"},
            "description": "Open ones and those of the last day: kind, message, beganAt, endedAt (Unix seconds or null)",
        },
        "missing": {
            "type": "array",
            "items": {"type": "object"},
            "description": "Matches of the last seven days without the liveblog that a rule should have made, at most 200: "
            "organization, rule, provider, match, teams, kickoff, reason, since",
        },
    },
}
STATUS: Json = {
    "operationId": "status",
    "summary": "How this process does, and the alarms of all",
    "tags": ["Operation"],
    "security": [*SECURITY, *PUBLIC],
    "responses": {"200": json_answer(REPORT, "The report")}
    | {str(status): response for status, response in READ_ERRORS.items()},
}


STATUS_PAGE: Json = {
    "operationId": "status.page",
    "summary": "The same for people",
    "tags": ["Operation"],
    "security": [*SECURITY, *PUBLIC],
    "responses": {"200": {"description": "The page", "content": {"text/html": {"schema": TEXT}}}}
    | {str(status): response for status, response in READ_ERRORS.items()},
}


async def report(request: ApiRequest) -> Response:
    """The report as JSON, for clients with the scope `admin` unless metrics are public."""
    return json_response(await _made(request), headers={"Cache-Control": "no-store"})


async def page(request: ApiRequest) -> Response:
    """The report for people; a browser prompts for client id and secret (HTTP Basic)."""
    html = render(await _made(request), request.services.clock())
    headers = {"Content-Security-Policy": ALONE, "Cache-Control": "no-store"}
    return Response(html.encode("utf-8", "replace"), headers=headers, media_type=TYPES["html"])


async def _made(request: ApiRequest) -> Mapping[str, Any]:
    make = request.services.status
    if make is None:
        raise NotFound("this process has no status")
    return await make()


def render(found: Mapping[str, Any], now: float) -> str:
    """The page; `now` in Unix seconds."""
    from api.http.templates import load_templates  # a start that shows no page needs none

    open_, over = ([each for each in found["alarms"] if (each["endedAt"] is None) is still] for still in (True, False))
    verdict = f"{len(open_)} alarm{'s' * (len(open_) > 1)}" if open_ else "All is well"
    process = found["process"]
    facts = {
        "Process": f"{process['role']} · {process['host']} · pid {process['pid']} · matchwire {process['version']}",
        "Running since": _instant(process["startedAt"], now),
        "Processes that follow matches": _or_dash(found["workers"]),
        **{LABELS.get(name, name): count for name, count in (found["matches"] or {}).items()},
        **{LABELS.get(name, name): _or_dash(count) for name, count in (found["webhooks"] or {}).items()},
    }
    body = (
        load_templates("api.status")
        .get_template("status.html")
        .render(
            verdict=verdict,
            alarms=[_alarm(each, now) for each in open_],
            missing=[_missing(each, now) for each in found["missing"]],
            facts=list(facts.items()),
            endpoints=[_endpoint(each) for each in found["endpoints"]],
            matches=[_match(each, now) for each in found["followed"]],
            ended=[_alarm(each, now) for each in over],
        )
    )
    return document(
        title=f"{verdict} · matchwire",
        language="en",
        about="How this process does",
        body=body,
        script="status.js",
    )


def _missing(each: Mapping[str, Any], now: float) -> tuple[str, ...]:
    kickoff = "–" if each["kickoff"] is None else f"{datetime.fromtimestamp(each['kickoff'], UTC):%Y-%m-%d %H:%M} UTC"
    return (
        each["teams"],
        f"{each['provider']} {each['match']}",
        each["rule"],
        kickoff,
        each["reason"],
        _instant(each["since"], now),
    )


def _endpoint(each: Mapping[str, Any]) -> tuple[str, ...]:
    state = each["state"] if each["cause"] is None else f"{each['state']}: {each['cause']}"
    load = f"{each['demand']:.0%}" if each["demand"] else "no limit"
    return each["name"], state, load, str(each["matches"]), _seconds(each["age"]), *_delays(each)


def _match(each: Mapping[str, Any], now: float) -> tuple[str, ...]:
    troubles = {
        "silent": each["silent"],
        "waits for another answer": each["pending"],
        f"{each['failures']} failed polls": each["failures"],
        f"{each['standingStill']} liveblogs stand still": each["standingStill"],
    }
    state = ", ".join([each["status"], *(name for name, holds in troubles.items() if holds)])
    changed = _instant(each["lastChange"], now)
    return each["match"], each["endpoint"], state, _seconds(each["age"]), changed, *_delays(each)


def _seconds(age: int | None) -> str:
    return "–" if age is None else f"{age} s"


def _delays(each: Mapping[str, Any]) -> tuple[str, str]:
    """The percentiles of both delays, in seconds."""
    return _percentiles(each["saidToSeen"]), _percentiles(each["seenToCommitted"])


def _percentiles(found: Mapping[str, int] | None) -> str:
    return "–" if found is None else " / ".join(f"{found[name] / 1000:.2f}" for name in ("p50", "p95", "p99"))


def _alarm(each: Mapping[str, Any], now: float) -> tuple[str, ...]:
    return each["kind"], each["message"], _instant(each["beganAt"], now), _instant(each["endedAt"], now)


def _or_dash(value: Any) -> Any:
    return "–" if value is None else value


def _instant(at: int | None, now: float) -> str:
    """The time in UTC, and how long ago it was."""
    if at is None:
        return "–"
    minutes = max(0, round(now - at)) // 60
    ago = f"{minutes // 60} h {minutes % 60} min" if minutes >= 60 else f"{minutes} min"
    return f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d %H:%M:%S} UTC ({ago} ago)"
