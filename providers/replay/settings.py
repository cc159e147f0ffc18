"""What a person chooses when a recording is replayed."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

Envelope = Literal["match", "tree"]
START = re.compile(r"(?P<mark>kickoff|end)?(?P<offset>[+-]?\d+(?:\.\d+)?)?")


@dataclass(frozen=True, kw_only=True)
class ReplaySettings:
    """How recordings are served; ValueError names what cannot be meant."""

    files: tuple[Path, ...] = ()
    """JSONL recordings, plain or `.gz`."""
    host: str = "127.0.0.1"
    port: int = 0
    """0 picks a free port."""
    speed: float = 1.0
    """Virtual seconds a second, 1 to 1000. The dates in the bodies are spread by it, also when the clock changes later."""
    start_at: str = "0"
    """Where each match begins: seconds after its first answer, or `kickoff` or `end`, with or without seconds
    (`kickoff-60`)."""
    step: bool = False
    """No clock: each call of `Replay.step` shows one more recorded answer."""
    user: str | None = None
    """HTTP Basic; without it nobody needs credentials."""
    password: str | None = None
    api_key: str | None = None
    """What requests for gn-gsd need in their query; without it nobody needs one."""
    secret: str | None = None
    """The outlet's secret for which Stats Perform's sign-in gives the token that requests need; without it nobody needs one."""
    envelope: Envelope = "match"
    """Shape of the `match` resource: `{match, match_result_at}` or the tree from the sport down."""
    hang: float = 30.0
    """Seconds after which a hanging answer gives up by itself."""

    def __post_init__(self) -> None:
        checked_speed(self.speed)
        parse_start(self.start_at)
        checked_envelope(self.envelope)
        if (self.user is None) != (self.password is None):
            raise ValueError("user and password are given together or not at all")
        if self.user is not None and self.secret is not None:
            raise ValueError("either user and password are given, or a secret")


def parse_start(text: str) -> tuple[str, float]:
    """`kickoff-60` as (`kickoff`, -60.0), `90` as (`first`, 90.0)."""
    found = START.fullmatch(text) if text else None
    if found is None:
        raise ValueError(f"start {text!r} is not seconds, `kickoff`, `end` or one of both with seconds (`kickoff-60`)")
    return found["mark"] or "first", float(found["offset"] or 0)


def checked_envelope(name: str) -> Envelope:
    """The envelope's name (ValueError where there is none of that name)."""
    for known in get_args(Envelope):
        if name == known:
            return known  # type: ignore[no-any-return]  # get_args forgets the type
    raise ValueError(f"envelope {name!r} is not one of {', '.join(get_args(Envelope))}")


SLOWEST, FASTEST = 1.0, 1000.0


def checked_speed(speed: float) -> float:
    """The speed as a float (ValueError outside 1 to 1000 times)."""
    if not SLOWEST <= speed <= FASTEST:
        raise ValueError(f"speed {speed:g} is not between {SLOWEST:g} and {FASTEST:g}")
    return float(speed)
