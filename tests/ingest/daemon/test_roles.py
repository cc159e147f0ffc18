"""What a process of each role serves, where it logs, what it refers to, and that it fetches nothing by itself."""

import asyncio
import threading
from contextlib import closing

import httpx
import pytest
from starlette.responses import PlainTextResponse
from structlog.testing import capture_logs

from config import Settings, load
from ingest.daemon.build import build_components, declared_records
from ingest.daemon.reload import Reload
from ingest.kit.process import Role
from ingest.server.server import operations_only
from ingest.telemetry.logs import LogFile
from store.engine.errors import StoreError
from store.masterdata.declarations import Declaration
from tests.config.samples import ORG, write
from tests.kit.day import ORGANIZATION, configuration, match_day
from tests.kit.news_daemon import NEWS, WRITE
from tests.providers.loopback import answered, upstream


def test_a_rotated_log_loses_no_line(tmp_path):
    """Threads write all the time; each line is whole, and in the old file or in the new one."""
    path = tmp_path / "matchwire.log"
    with closing(LogFile(path)) as log:

        def write(who):
            for number in range(500):
                log.append(f"{who} {number}\n")

        writers = [threading.Thread(target=write, args=(who,)) for who in range(4)]
        for writer in writers:
            writer.start()
        for turn in range(5):
            path.rename(tmp_path / f"matchwire.log.{turn}")
            log.reopen()
        for writer in writers:
            writer.join()
        log.append("last\n")

    lines = [line for file in tmp_path.iterdir() for line in file.read_text().splitlines()]
    assert sorted(lines) == sorted(["last", *(f"{who} {number}" for who in range(4) for number in range(500))])
    assert path.read_text().endswith("last\n")
    assert path.stat().st_mode & 0o027 == 0


def test_a_hangup_opens_the_log_anew_or_goes_on_as_before(tmp_path):
    """A folder that is gone is reported, and the old file stays in use; the configuration is looked at all the same."""
    folder = tmp_path / "log"
    folder.mkdir()
    with closing(LogFile(folder / "matchwire.log")) as log, capture_logs() as said:
        reload = Reload(Settings(), read=Settings, place=lambda settings: settings, log_file=log)
        reload.hang_up()
        folder.rename(tmp_path / "moved")
        reload.hang_up()
        log.append("still here\n")

    assert [line["event"] for line in said] == [
        "log.reopened",
        "config.unchanged",
        "log.not_reopened",
        "config.unchanged",
    ]
    assert (tmp_path / "moved" / "matchwire.log").read_text() == "still here\n"
    with pytest.raises(OSError, match="No such file"):
        LogFile(folder / "matchwire.log")


@pytest.mark.parametrize(("path", "status"), [("/livez", 200), ("/readyz", 200), ("/metrics", 200), ("/docs", 404)])
async def test_a_worker_answers_those_who_run_it_alone(path, status):
    """Whether it lives, whether it is ready, its numbers; nothing of the API."""
    app = operations_only(PlainTextResponse("well"))
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://worker") as client:
        assert status == (await client.get(path)).status_code


@pytest.mark.parametrize("role", [Role.API, Role.WORKER])
async def test_a_sqlite_file_has_one_process_that_does_everything(tmp_path, role):
    """A role that needs other processes is refused before anything is build_components."""
    settings = Settings.model_validate(configuration("http://127.0.0.1:9", tmp_path))
    with pytest.raises(StoreError, match="PostgreSQL"):
        async with build_components(settings, role=role):
            pass

    assert [] == list(tmp_path.iterdir())


def test_who_works_and_who_serves():
    """Everything is done by one process or by the two halves together."""
    assert [(True, True), (False, True), (True, False)] == [(role.works, role.serves) for role in Role]


DECLARED = f"""
[organizations.{ORG}]
name = "Example Newsroom"
[organizations.{ORG}.templates.cup]
name = "Cup"
sportstype = "soccer"
[organizations.{ORG}.pricings.gold]
name = "Gold"
[organizations.{ORG}.tags.derby]
name = "Derby"
[organizations.{ORG}.locations.north]
name = "North Stadium"
country = "DE"
"""


def test_each_kind_is_declared_with_its_fields(tmp_path):
    """By organization, kind and id; what is not set is not there."""
    found = declared_records(load(write(tmp_path, DECLARED), {}))

    assert found == (
        Declaration(owner_id=ORG, kind="template", id="cup", fields={"name": "Cup", "sportstype": "soccer"}),
        Declaration(owner_id=ORG, kind="pricing", id="gold", fields={"name": "Gold"}),
        Declaration(owner_id=ORG, kind="tag", id="derby", fields={"name": "Derby"}),
        Declaration(owner_id=ORG, kind="location", id="north", fields={"name": "North Stadium", "country": "DE"}),
    )


CONTENT = "Svc::Model::Content"


def documents(url):
    """Every place of a document that takes an address."""
    image = {"_type": f"{CONTENT}::ImageMediaContent", "source_url": url, "url": url}
    video = {"_type": f"{CONTENT}::VideoMediaContent", "source_url": url, "url": url}
    return [
        {"contents": [{"_type": f"{CONTENT}::MultiMediaContentBlock", "items": [image, video]}]},
        {"source_url": url},
        {"media": [{"source_url": url, "url": url, "title": "x"}]},
        {"contents": [{"_type": f"{CONTENT}::WebEmbedContentBlock", "url": url}]},
        {"contents": [{"_type": f"{CONTENT}::QuoteContentBlock", "text": "x", "source": url}]},
        {
            "contents": [
                {"_type": f"{CONTENT}::RichTextContentBlock", "text": f'<a href="{url}">x</a><img src="{url}">'}
            ]
        },
    ]


async def test_no_address_in_a_document_is_called(tmp_path):
    """Images, videos, embeds, banners and pictures of teams on a canary; written and read in every form, nobody calls it."""
    async with upstream() as canary, match_day(folder=tmp_path) as day:
        url = f"{canary.url}/latest/meta-data"
        canary.answers["/latest/meta-data"] = answered(b"secret")
        pictures = dict.fromkeys(("image", "banner_image", "cover_image"), url)
        game = (await day.client.post(f"{WRITE}/ticker/create.json", json={**NEWS, **pictures})).json()
        liveblog = game["local_id"]
        team = {"name": "SV Nah", "owner_id": ORGANIZATION, "sportstype": "soccer", "image": url}
        statuses = [(await day.client.post(f"{WRITE}/team/create.json", json=team)).status_code]
        for body in documents(url):
            answer = await day.client.post(
                f"{WRITE}/event/create.json", params={"ticker_local_id": liveblog}, json=body
            )
            statuses.append(answer.status_code)
        shown = await day.show(liveblog)
        for extension in ("rss", "atom", "json"):
            feed = await day.client.get(f"/api/embed/v4/feed/liveblog.{extension}", params={"liveblogId": liveblog})
            assert feed.status_code == 200
        assert (await day.client.get(f"/liveblogs/{liveblog}")).status_code == 200
        await asyncio.sleep(1)
        called = list(canary.requests)
        async with httpx.AsyncClient(trust_env=False, verify=False) as http:
            reachable = await http.get(url)

    assert all(status in {200, 422} for status in statuses)
    assert statuses.count(200) >= 4
    assert url in str(shown)
    assert called == []
    assert (reachable.status_code, len(canary.requests)) == (200, 1)
