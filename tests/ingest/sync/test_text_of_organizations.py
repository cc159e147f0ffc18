"""Whether text is delivered is a fact of each organization, also where several share an endpoint of the provider."""

from __future__ import annotations

import secrets

import httpx
import pytest

from tests.kit.creating import LINES, MATCH
from tests.kit.day import CREATE, ORGANIZATION, match_day, running
from tests.kit.sqlite import migrated_url

OTHER = "5f0c1de2a1b2c3d4e5f60719"


@pytest.mark.parametrize("first", [ORGANIZATION, OTHER])
async def test_text_is_refused_to_the_organization_without_it_and_delivered_to_the_other(tmp_path, first):
    """Whichever of two organizations on one endpoint stands first in the config: 400 for one, its text for the other."""
    async with match_day(lines=LINES, folder=tmp_path, start_at="end") as day:
        booked = {ORGANIZATION: True, OTHER: False}
        organizations = {
            name: {"name": name, "providers": {"heim": {"base_url": day.replay.url, "text_content": booked[name]}}}
            for name in sorted(booked, key=lambda each: each != first)
        }
        client = {"secret": secrets.token_urlsafe(24), "organizations": [*booked], "scopes": ["external", "read"]}
        database = {"url": migrated_url(tmp_path / "two.db")}
        tables = {"organizations": organizations, "clients": {"cms": client}, "database": database}
        settings = type(day.settings).model_validate(day.settings.model_dump() | tables)
        body = {"provider": "heim", "matchId": MATCH, "autoPostEnabled": True, "includeTextContent": True}
        async with (
            running(settings) as address,
            httpx.AsyncClient(base_url=address, auth=("cms", client["secret"]), trust_env=False, verify=False) as http,
        ):
            answers = {name: await http.post(CREATE.replace(ORGANIZATION, name), json=body) for name in booked}

    assert {ORGANIZATION: 200, OTHER: 400} == {name: answer.status_code for name, answer in answers.items()}
    assert "includeTextContent" == answers[OTHER].json()["field"]
    assert "Welcome to the harbour." in answers[ORGANIZATION].text
