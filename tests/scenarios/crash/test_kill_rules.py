"""kill -9 while rules make their liveblogs: each match has one, and what a person has deleted is not made again."""

import asyncio
import json
import random
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from providers.contract.server import Server, serving
from tests.kit.daemon import CONFIG, SECRET, Daemon, client_of
from tests.kit.day import ORGANIZATION
from tests.kit.day_lists import ENVELOPES
from tests.kit.soccer_courses import DEMO, course, course_files
from tests.kit.sqlite import migrated_url
from tests.kit.workers import until

KILLS = 8
PATHS = {"match": "match", "match-event": "match-event", "liveticker": "liveticker/co"}
RULES = "".join(
    f'[[follow]]\nkey = "{key}"\norganization = "{ORGANIZATION}"\nprovider = "heim"\n{about}\n'
    for key, about in {
        "cup": 'competition = "31"',
        "club": 'team = "9598"',
        "cup-de": 'competition = "31"\nlocale = "de"',
    }.items()
)
"""Two of them are about the same match in the same language, one about all in another."""


def as_of_now(body: bytes) -> bytes:
    """The match, kicked off a quarter of an hour ago."""
    found = json.loads(body)
    begun = datetime.now(ZoneInfo("Europe/Berlin")) - timedelta(minutes=15)
    found["match"] |= {"match_date": f"{begun:%d.%m.%Y}", "match_time": f"{begun:%H:%M}"}
    return json.dumps(found).encode()


def bodies() -> tuple[dict[str, bytes], int]:
    """What the provider answers of three running matches and of the days around today; how many matches there are."""
    found, rows = {}, []
    for each in (course(file) for file in course_files() if file.stem.split(".")[0] in DEMO):
        answers = each.bodies[each.running]
        answers = {**answers, "match": as_of_now(answers["match"])}
        found |= {f"{PATHS[name]}/ma{each.match_id}": body for name, body in answers.items()}
        rows.append({name: value for name, value in json.loads(answers["match"])["match"].items() if name != "round"})
    today = datetime.strptime(rows[0]["match_date"], "%d.%m.%Y").date()  # noqa: DTZ007 -- a date alone
    for apart in range(-3, 5):
        listed = ENVELOPES["heim"](rows)[:1] if apart == 0 else []
        found[f"matches-by-date/da{today + timedelta(days=apart)}"] = json.dumps(listed).encode()
    return found, len(rows)


async def liveblogs(daemon: Daemon) -> list[tuple[str, str]]:
    """Title and language of each, deleted ones apart."""
    async with client_of(daemon) as client:
        found = await client.get("/api/v5/write/ticker/search.json", params={"owner_id": ORGANIZATION, "limit": 50})
    return sorted((each["meta_info"]["title"], each["locale"]) for each in found.json()["objects"])


@pytest.mark.proof
@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
async def test_killed_again_and_again_rules_make_each_liveblog_once(tmp_path, request, database):
    """At any moment of their work; one that was deleted between two kills stays deleted."""
    url = migrated_url(tmp_path / "kill.db") if database == "sqlite" else request.getfixturevalue("postgres_url")
    answers, matches = bodies()
    rng = random.Random(7)
    async with serving(Server(answers)) as upstream:
        config = tmp_path / "matchwire.toml"
        text = CONFIG.format(database=url, organization=ORGANIZATION, upstream=upstream.url, secret=SECRET)
        config.write_text(text + RULES)
        daemon = Daemon(config)
        await daemon.start()
        try:
            for _ in range(KILLS):
                await asyncio.sleep(rng.uniform(0, 0.4))
                await daemon.kill()
                await daemon.start()

            async def all_there() -> bool:
                return len(await liveblogs(daemon)) >= 2 * matches

            await until(all_there, 60)
            made = await liveblogs(daemon)
            async with client_of(daemon) as client:
                found = (await client.get("/api/v5/write/ticker/search.json", params={"q": "Denmark"})).json()[
                    "objects"
                ]
                [gone] = [each["local_id"] for each in found if each["locale"] == "en"]
                change = {"_type": "Svc::Model::Modification::DeleteGameModification", "local_status": 100}
                wanted = {"local_id": gone, "modifications": [change]}
                deleted = await client.post("/api/v5/write/ticker/post_modifications.json", json=wanted)
            assert deleted.status_code == 200, deleted.text
            before = len(upstream.requests)
            await daemon.kill()
            await daemon.start()

            async def looked() -> bool:
                return any("matches-by-date" in each for each in upstream.requests[before:])

            await until(looked, 60)
            await asyncio.sleep(1)  # nothing is made after it either
            left = await liveblogs(daemon)
        finally:
            await daemon.kill()

    assert len(set(made)) == len(made) == 2 * matches
    assert len(left) == len(made) - 1
    assert [each for each in left if "Denmark" in each[0]] == [
        each for each in made if "Denmark" in each[0] and each[1] == "de"
    ]
