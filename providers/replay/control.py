"""`/__replay/`: a person or another process watches and steers a running replay."""

import json
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

if TYPE_CHECKING:
    from providers.replay.replay import Replay

Command = Callable[["Replay", dict[str, Any]], None]
MAX_COMMAND = 64 * 1024
# Field of the command -> field of the fault and its type
FAULT_FIELDS: dict[str, tuple[str, type]] = {
    "mode": ("mode", str),
    "resource": ("kind", str),
    "match": ("match_id", str),
    "count": ("count", int),
    "retry_after": ("retry_after", str),
    "incident": ("incident", str),
    "size": ("size", int),
    "seconds": ("seconds", float),
}


def control_routes(replay: "Replay") -> list[Route]:
    """The routes of the control surface, which answers only on the own machine and needs no credentials."""
    reads = {"state": state, "log": log}
    return [
        *(Route(f"/__replay/{name}", _reading(replay, read), methods=["GET"]) for name, read in reads.items()),
        *(Route(f"/__replay/{name}", _steering(replay, run), methods=["POST"]) for name, run in COMMANDS.items()),
    ]


def state(replay: "Replay") -> dict[str, Any]:
    """Where the replay stands."""
    return {
        "elapsed": round(replay.clock.now(), 3),
        "speed": replay.clock.speed,
        "paused": replay.clock.paused,
        "step": replay.settings.step,
        "shown": replay.cursor,
        "lines": len(replay.timeline.entries),
        "finished": replay.finished,
        "matches": [_match_state(replay, match_id) for match_id in replay.matches],
        "faults": [asdict(fault) for fault in replay.faults.active],
        "requests": replay.log.total,
    }


def log(replay: "Replay") -> dict[str, Any]:
    """The latest requests, oldest first."""
    return {"total": replay.log.total, "requests": [asdict(request) for request in replay.log.requests]}


def _match_state(replay: "Replay", match_id: str) -> dict[str, Any]:
    recorded = replay.timeline.instant(match_id, replay.clock.now())
    return {
        "id": match_id,
        "envelope": replay.envelope(match_id),
        "recorded_instant": recorded.isoformat(timespec="seconds"),
        "first": replay.matches[match_id].first_at.isoformat(),
        "last": replay.matches[match_id].last_at.isoformat(),
    }


def _fault(replay: "Replay", order: dict[str, Any]) -> None:
    """`{mode, resource?, match?, count?, …}` adds one; `{mode: null}` clears all."""
    unknown = order.keys() - FAULT_FIELDS.keys()
    if unknown:
        raise ValueError(f"unknown field {min(unknown)!r}")
    if order.get("mode") is None:
        replay.faults.clear()
    else:
        replay.faults.add(**dict(_fault_field(key, value) for key, value in order.items() if value is not None))


def _fault_field(key: str, value: Any) -> tuple[str, Any]:
    name, kind = FAULT_FIELDS[key]
    return name, kind(value)


def _clock(replay: "Replay", order: dict[str, Any]) -> None:
    """`{speed?, seek?, pause?}`; `seek` is virtual seconds after the start, or `end`."""
    if "speed" in order:
        replay.clock.set_speed(order["speed"])
    if order.get("seek") == "end":
        replay.seek_end()
    elif "seek" in order:
        replay.seek(float(order["seek"]))
    if "pause" in order:
        (replay.clock.pause if order["pause"] else replay.clock.resume)()


def _envelope(replay: "Replay", order: dict[str, Any]) -> None:
    """`{match, envelope}`."""
    replay.set_envelope(str(order["match"]), str(order["envelope"]))


COMMANDS: dict[str, Command] = {
    "fault": _fault,
    "clock": _clock,
    "envelope": _envelope,
    "settle": lambda replay, _: replay.settle(),
    "step": lambda replay, _: replay.step() and None,
    "restart": lambda replay, _: replay.restart(),
}


def _reading(replay: "Replay", read: Callable[["Replay"], dict[str, Any]]) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        return JSONResponse(read(replay)) if _local(request) else Response(status_code=403)

    return endpoint


def _steering(replay: "Replay", command: Command) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        if not _local(request):
            return Response(status_code=403)
        try:
            command(replay, await _order(request))
        except (ValueError, TypeError, KeyError) as error:
            return JSONResponse({"error": str(error)}, 400)
        return JSONResponse(state(replay))

    return endpoint


async def _order(request: Request) -> dict[str, Any]:
    """The JSON object of a command; no body is an empty one."""
    text = b""
    async for chunk in request.stream():
        text += chunk
        if len(text) > MAX_COMMAND:
            raise ValueError("too long")
    order = json.loads(text or b"{}")
    if not isinstance(order, dict):
        raise TypeError("not an object")
    return order


def _local(request: Request) -> bool:
    """Whether the peer is this machine: who may steer is who may start."""
    return request.client is not None and ip_address(request.client.host).is_loopback
