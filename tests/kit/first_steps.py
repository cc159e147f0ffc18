"""The addresses and files that the first steps name, and a provider behind them."""

import json

from providers.replay import Line
from tests.kit.creating import LINES, MATCH

ADDRESS = "127.0.0.1:8080"
"""What the page prints; somebody else may have that port, so any free one takes its place."""
RECEIVER = "9099"
"""The same of the endpoint that webhooks are sent to."""
PRINTED_MATCH = "8315073"
PASSWORD = "the provider's password"
UPSTREAM = "MATCHWIRE_ORGANIZATIONS__NEWSROOM__PROVIDERS__HEIM__BASE_URL"


def recorded():
    """A match under the id that the page prints."""
    for line in LINES:
        renamed = line.row().replace(MATCH, PRINTED_MATCH)
        yield Line.of(line.at, json.loads(renamed)["resource"], json.loads(renamed)["body"])
