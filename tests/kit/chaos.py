"""Daemons and a provider between which everything fails."""

import hashlib
import random
import time
from collections import defaultdict
from itertools import pairwise

from starlette.requests import Request
from starlette.responses import Response

from tests.kit.daemon import HEAD
from tests.providers.heim.feed import encoded, row, wrapped

INTERVAL = 5.0

CONFIG = (
    HEAD
    + """[webhooks]
allow_hosts = ["127.0.0.1"]
rate = 0
[limits]
client_per_second = 0
public_per_second = 0
[polling]
live = {interval}
pause = {interval}
before = {interval}
after = {interval}
after_growth = 1
backoff_max = {interval}
rate = 0
"""
)


class Upstream:
    """A provider of live matches whose rows come, change and go; notes when each match was requested."""

    def __init__(self, matches: int, chance: random.Random) -> None:
        self.rows: dict[str, list[dict[str, object]]] = {str(9_000_001 + number): [] for number in range(matches)}
        self.polls: dict[str, list[float]] = defaultdict(list)
        self.changes = 0
        self.chance = chance
        self._bodies: dict[str, bytes] = {}

    async def answer(self, request: Request) -> Response:
        kind, _, name = request.path_params["rest"].partition("/ma")
        if kind == "match":
            self.polls[name].append(time.monotonic())
            body = self._bodies.setdefault(f"match{name}", encoded(wrapped(id=name)))
        elif kind == "match-event":
            body = self._bodies.setdefault(name, encoded(self.rows[name]))
        else:
            return Response(status_code=404)
        tag = f'"{hashlib.sha256(body).hexdigest()[:20]}"'
        if request.headers.get("if-none-match") == tag:
            return Response(status_code=304, headers={"ETag": tag})
        return Response(body, media_type="application/json", headers={"ETag": tag})

    def change(self) -> None:
        """One match has a card more, one less, or another player was meant."""
        name = self.chance.choice(list(self.rows))
        rows, self.changes = self.rows[name], self.changes + 1
        how = self.chance.random()
        if how < 0.2 and len(rows) > 1:
            rows.pop(self.chance.randrange(len(rows)))
        elif how < 0.4 and rows:
            at = self.chance.randrange(len(rows))
            old = rows[at]
            rows[at] = row(int(str(old["id"])), "card/yellow", str(old["minute"]), "home", 1000 + self.changes)
        else:
            rows.append(row(10_000 + self.changes, "card/yellow", 1 + len(rows), "home", 1000 + self.changes))
        self._bodies.pop(name, None)

    def silence(self) -> dict[str, float]:
        """The longest time without a request for each match (s)."""
        return {name: max(after - before for before, after in pairwise(times)) for name, times in self.polls.items()}
