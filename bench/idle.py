"""What an idle daemon costs with a hundred follow rules, beside the same one without a rule: `python -m bench.idle`.

Both stand side by side for eleven minutes, in which the one with rules looks at its lists twice, of 400 matches a day, none of
which is due. CPU time a second, of the process in all its threads.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
import threading
import time
from datetime import date
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from bench.daemon_process import RUN, BenchProcess, start
from bench.measure import Figure, table

ORGANIZATION = "5f0c1de2a1b2c3d4e5f60718"
RULES, MATCHES = 100, 4
MOST = 8.0
SETTLED = 15.0
"""Seconds after the start from which on it counts: what loads by and by is loaded."""
CONFIG = """
[database]
url = "sqlite+aiosqlite:///{folder}/bench.db"
[logging]
level = "error"
[organizations.{organization}]
name = "Example"
[organizations.{organization}.providers.heim]
base_url = "{provider}"
"""
RULE = """
[[follow]]
key = "rule-{number}"
organization = "{organization}"
provider = "heim"
competition = "{number}"
"""


class Lists(BaseHTTPRequestHandler):
    """A provider that has four matches of each competition every day: those of days that have begun are over."""

    requests = 0

    def do_GET(self) -> None:
        type(self).requests += 1
        found = re.search(r"da(\d{4}-\d\d-\d\d)", self.path)
        body = b"[]" if found is None else json.dumps(_day(date.fromisoformat(found[1]))).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- the name that http.server gives it
        """Nothing is printed."""


def _day(day: date) -> list[dict[str, object]]:
    over = day <= date.today()  # noqa: DTZ011 -- of this machine, as the list of the feed
    return [_competition(number, day, over=over) for number in range(1, RULES + 1)]


def _competition(number: int, day: date, *, over: bool) -> dict[str, object]:
    rows = [
        {
            "id": str(day.toordinal() % 1000 * 10_000 + number * 10 + place),
            "match_date": f"{day:%d.%m.%Y}",
            "match_time": "23:55",
            "finished": "yes" if over else "no",
            "live_status": "full" if over else "none",
            "current_period": "game-end" if over else "",
            "home": {"id": str(number * 100 + place), "name": f"Team {number} {place}"},
            "away": {"id": str(number * 100 + 50 + place), "name": f"Others {number} {place}"},
        }
        for place in range(MATCHES)
    ]
    season = {"id": "77", "name": "2026", "round": [{"id": "4711", "name": "1", "match": rows}]}
    return {"id": str(number), "sport_id": "1", "name": f"League {number}", "gender": "male", "season": [season]}


def _started(folder: Path, provider: str, rules: int) -> BenchProcess:
    folder.mkdir()
    words = {"folder": folder, "organization": ORGANIZATION, "provider": provider}
    entries = "".join(RULE.format(number=number, organization=ORGANIZATION) for number in range(1, rules + 1))
    (folder / "matchwire.toml").write_text(CONFIG.format(**words) + entries)
    return start(RUN, folder)


def measured(seconds: float) -> list[Figure]:
    """Milliseconds of CPU a second of both, in the same seconds."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Lists)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as name:
        provider = f"http://127.0.0.1:{server.server_port}"
        ours, bare = (_started(Path(name) / str(rules), provider, rules) for rules in (RULES, 0))
        try:
            time.sleep(SETTLED)
            before = ours.cpu(), bare.cpu()
            began = time.monotonic()
            time.sleep(seconds)
            took = time.monotonic() - began
            spent = [1000 * (each.cpu() - at) / took for each, at in zip((ours, bare), before, strict=True)]
        finally:
            ours.end()
            bare.end()
            server.shutdown()
    said = f"{spent[0]:.2f} ms a second, without rules {spent[1]:.2f} ms; {Lists.requests} requests"
    return [Figure(f"idle with {RULES} rules", said, f"≤ {MOST:.0f} ms", spent[0] <= MOST)]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=660.0)
    print(table(measured(parser.parse_args().seconds)))
