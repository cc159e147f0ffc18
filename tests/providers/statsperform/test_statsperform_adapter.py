"""The adapter against a provider on the loopback interface: what it takes for a change."""

import json
import re

import pytest

from providers.base import Known
from providers.statsperform.adapter import STATSPERFORM
from tests.kit.contracts import DERBY
from tests.kit.opening import endpoint_of
from tests.kit.statsperform_match import FOLDER
from tests.providers.loopback import answered, upstream

PATH = f"/match/outlet/{DERBY}?live=yes&lineups=yes&_rt=b&_fmt=json"
RUNNING = (FOLDER / "derby-running.match.json").read_bytes()


@pytest.mark.parametrize(
    ("after", "outcome"),
    [
        (re.sub(rb'"matchTime": 58', b'"matchTime": 101', RUNNING), "unchanged"),
        (re.sub(rb'"matchTime": 58,', b"", RUNNING), "changed"),
        (re.sub(rb'"matchTime": 58', b'"matchTime": 59', RUNNING).replace(b'"Playing"', b'"Played"'), "changed"),
    ],
    ids=["it runs", "it is gone", "beside something else"],
)
async def test_the_minute_that_runs_is_no_change(after, outcome):
    """Nobody reads it: a body that differs in it alone is the one that is known."""
    assert json.loads(after) != json.loads(RUNNING)
    async with upstream({}) as provider:
        adapter = STATSPERFORM.connect(endpoint_of(provider="statsperform", base_url=provider.url, api_key="outlet"))
        known = {}
        for body in (RUNNING, after):
            provider.answers[PATH] = answered(body, "Content-Type: application/json")
            fetched = await adapter.fetch(DERBY, known, text=False, hints={})
            [answer] = fetched.answers
            known = {answer.resource: Known(etag=answer.etag, digest=answer.digest, rows=answer.rows)}
        await adapter.aclose()

    assert answer.outcome == outcome
