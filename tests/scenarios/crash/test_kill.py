"""kill -9: whenever the process dies, the next one goes on, and the liveblog ends as the provider's last word says."""

import asyncio
import json
import random
from pathlib import Path

import pytest

from providers.replay import Replay, ReplaySettings, read_lines
from providers.replay.demo import demo_files
from tests.kit.command import ENVIRON, MATCHWIRE
from tests.kit.daemon import CONFIG, MATCH, SECRET, Daemon, client_of, quiet
from tests.kit.day import CREATE, ORGANIZATION
from tests.kit.pgbouncer import DIRECT
from tests.kit.recorded_posts import first_yellow, posts_of_the_liveblog, posts_of_the_provider
from tests.kit.sqlite import migrated_url


def direct_of(url: str) -> str:
    """The setting that names the server's own address, where `url` leads through a pooler."""
    return f'direct_url = "{DIRECT[url]}"' if url in DIRECT else ""


async def killed_all_along(folder: Path, database: str, *, kills: int, speed: float, seed: int) -> Daemon:
    """One match at `speed`, the process killed `kills` times at random instants of it; then compare with the provider."""
    lines = read_lines(next(path for path in demo_files("en") if "croatia" in path.name))
    settings = ReplaySettings(speed=speed, start_at="kickoff-600")
    rng = random.Random(seed)
    async with Replay(lines, settings).serve() as replay:
        config = folder / "matchwire.toml"
        text = CONFIG.format(database=database, organization=ORGANIZATION, upstream=replay.url, secret=SECRET)
        config.write_text(text.replace("[database]", f"[database]\n{direct_of(database)}", 1))
        daemon = Daemon(config)
        await daemon.start()
        async with client_of(daemon) as client:
            body = {"provider": "heim", "matchId": MATCH, "autoPostEnabled": True, "includeTextContent": True}
            made = await client.post(CREATE, json=body, headers={"Idempotency-Key": "once"})
            assert made.status_code == 200, made.text
        share = replay.timeline.end / speed / kills
        for _ in range(kills):
            await asyncio.sleep(rng.uniform(0.2, 1.0) * max(share - 1.3, 0.2))
            await daemon.kill()
            await daemon.start()
        async with asyncio.timeout(replay.timeline.end / speed + 60):
            while not replay.finished:
                await asyncio.sleep(0.2)
        replay.settle()
        async with client_of(daemon) as client:
            again = await client.post(CREATE, json=body, headers={"Idempotency-Key": "once"})
            assert made.json()["local_id"] == again.json()["local_id"]
            game = await quiet(client, made.json()["local_id"])
        assert await daemon.terminate() == 0
        rows = replay.last_good(MATCH)["match-event"]
        posts = posts_of_the_liveblog(game)
        assert len(posts) == len(set(posts)), "a post stands twice"
        assert posts_of_the_provider(rows) <= set(posts), "a post is missing"
        ghosts = {each for each in set(posts) - posts_of_the_provider(rows) if not first_yellow(each, rows)}
        assert ghosts == set(), "a ghost stands"
        return daemon


@pytest.mark.proof
async def test_killed_several_times_nothing_is_lost_and_nothing_twice_on_sqlite(tmp_path):
    """A match at 800 times its speed, SIGKILL at random instants, one SQLite file."""
    await killed_all_along(tmp_path, migrated_url(tmp_path / "kill.db"), kills=2, speed=800, seed=1)


@pytest.mark.proof
async def test_killed_several_times_nothing_is_lost_and_nothing_twice_behind_pgbouncer(
    tmp_path, postgres_url, pgbouncer
):
    """The same through PgBouncer in transaction mode, with a direct connection for what needs a session."""
    await killed_all_along(tmp_path, pgbouncer.url(postgres_url), kills=2, speed=800, seed=4)


@pytest.mark.soak
@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
async def test_killed_fifty_times_during_one_match(tmp_path, request, database, record_property):
    """Fifty kills during one match at 60 times its speed: no duplicate, no missing, no ghost; ready again within 2 s."""
    url = migrated_url(tmp_path / "kill.db")
    if database == "postgresql":
        url = request.getfixturevalue("postgres_url")
    daemon = await killed_all_along(tmp_path, url, kills=50, speed=60, seed=3)
    starts = sorted(daemon.starts)
    figures = {"starts": len(starts), "median": starts[len(starts) // 2], "slowest": starts[-1]}
    record_property("ready_again_seconds", json.dumps(figures))
    print(f"ready again after kill -9 on {database}: {figures}")  # noqa: T201
    assert starts[-1] < 2.0


@pytest.mark.proof
async def test_a_file_belongs_to_one_process_until_sigterm_has_ended_it_in_order(tmp_path):
    """A second daemon refuses and the lock names the holder, which goes on; SIGTERM: exit status 0, and the next one starts."""
    config = tmp_path / "matchwire.toml"
    database = migrated_url(tmp_path / "term.db")
    config.write_text(
        CONFIG.format(database=database, organization=ORGANIZATION, upstream="http://127.0.0.1:9", secret=SECRET)
    )
    daemon = Daemon(config)
    await daemon.start()
    second = await asyncio.create_subprocess_exec(
        *MATCHWIRE, "run", "--config", str(config),
        stderr=asyncio.subprocess.PIPE, env=ENVIRON,
    )  # fmt: skip
    _, printed = await second.communicate()

    assert second.returncode == 2
    assert b"in use by another matchwire process" in printed
    assert await daemon.terminate() == 0
    await daemon.start()
    assert await daemon.terminate() == 0
