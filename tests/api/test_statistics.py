"""Statistics over HTTP: the intake takes what a browser sends, the reads show it, and neither is moved by hostile input."""

import json

import pytest

from tests.api.conftest import NOW, contents
from tests.kit import matchday
from tests.kit.statistics import BROWSER, COLLECT, Site

ZEROS = dict.fromkeys(
    ("tickerLoads", "totalUniques", "avgRetentionMS", "samplesForUniques", "samplesForRetention", "totalViews"), 0
)


@pytest.fixture
async def site(server, tmp_path):
    await server.add(matchday.derby())
    made = Site(server, tmp_path / "statistics")
    await server.store.write(made.begin)
    yield made
    await made.writer.stop()


async def test_the_four_reads_show_what_readers_did(site):
    """Loads, clicks, readers and how long they looked; by period, origin and page; a bot or who objects counts nowhere."""
    before = await contents(site.server)
    await site.report(kind="load")
    await site.report(kind="load", address="192.0.2.2", url="https://NEWS.example:443/derby/?utm=1#x")
    await site.report(kind="load", agent=BROWSER + " Other", url="https://news.example/live")
    await site.report(kind="load", address="192.0.2.3", url="about:blank")
    await site.report(kind="load_more")
    for ms, first in ((1500.0, True), (500, False), (4000, True)):  # 1500.0 is a whole number in JSON
        await site.report(kind="retention", ms=ms, first=first)
    await site.report(kind="load", agent="Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)")
    await site.report(kind="load", agent="")
    await site.report(kind="load", headers={"DNT": "1"})
    await site.report(kind="load", headers={"Sec-GPC": "1"})
    await site.report(kind="load", client="stranger")
    assert await contents(site.server) == before
    await site.writer.flush()

    shown = {"tickerLoads": 5, "totalUniques": 4, "avgRetentionMS": 3000, "samplesForUniques": 4,
             "samplesForRetention": 2, "totalViews": 5}  # fmt: skip
    assert await site.read("overview.json") == {"visitorMetrics": shown}
    assert NOW == 1_790_000_000  # 2026-09-21 14:13:20 UTC
    months = await site.read("2026/periods.json")
    assert [each["id"] for each in months] == [f"2026-{month:02}" for month in range(1, 10)]
    assert months[-1] == {"id": "2026-09", "startTS": 1_788_220_800_000, "visitorMetrics": shown}
    assert all(each["visitorMetrics"] == ZEROS for each in months[:-1])
    days = await site.read("2026-09/periods.json", tz="Asia/Kathmandu")
    assert (len(days), days[-1]["id"], days[-1]["visitorMetrics"]) == (21, "2026-09-21", shown)
    hours = await site.read("2026-09-21/periods.json", tz="Asia/Kathmandu", origin="https://news.example/any")
    assert (hours[-1]["id"], hours[-1]["startTS"] % 3_600_000) == ("2026-09-21T19", 900_000)
    own = {**shown, "tickerLoads": 4, "totalUniques": 3, "samplesForUniques": 3, "totalViews": 4}
    assert hours[-1]["visitorMetrics"] == own
    assert await site.read("2027/periods.json") == []
    apia = [each["id"] for each in await site.read("2011-12/periods.json", tz="Pacific/Apia")]
    assert apia == [f"2011-12-{day:02}" for day in range(1, 32) if day != 30], (
        "it went from one side of the date line to the other"
    )
    assert await site.read("2011-12-30/periods.json", tz="Pacific/Apia") == []
    assert await site.read("all/origins.json") == [{"normalizedUrl": "https://news.example", "visitorMetrics": own}]
    for origin in ("https://news.example", "https%3A%2F%2Fnews.example", "https://NEWS.example/x"):
        pages = await site.read(f"all/origin/{origin}/locations.json")
        assert [(each["normalizedUrl"], each["visitorMetrics"]["tickerLoads"]) for each in pages] == [
            ("https://news.example/derby", 3), ("https://news.example/live", 1),
        ]  # fmt: skip
    assert await site.read("all/origin/https:%2F%2Fother.example/locations.json") == []
    stored = repr(await contents(site.server))
    assert not [each for each in ("192.0.2", "Firefox", "utm") if each in stored]


async def test_all_counts_are_exported(site):
    """As CSV without formulas and as JSON Lines; nothing names a reader."""
    await site.report(kind="load", url="https://news.example/derby,=1+1")
    await site.report(kind="load", address="192.0.2.2", url="https://news.example/live")
    await site.report(kind="retention", ms=1500, first=True)
    await site.writer.flush()
    table, lines, wrong = [await site.sent("export", **query) for query in ({}, {"format": "jsonl"}, {"format": "xls"})]

    assert table.headers["content-type"] == "text/csv; charset=utf-8"
    assert table.text.splitlines() == [
        "start,origin,location,loads,loads_more,sampled,retention_ms,retention_views",
        "2026-09-21T14:13:00Z,https://news.example,https://news.example/derby,0,0,0,1500,1",
        '2026-09-21T14:13:00Z,https://news.example,"https://news.example/derby,=1+1",1,0,1,0,0',
        "2026-09-21T14:13:00Z,https://news.example,https://news.example/live,1,0,1,0,0",
    ]
    assert [json.loads(line)["loads"] for line in lines.text.splitlines()] == [0, 1, 1]
    assert (wrong.status_code, wrong.json()["field"]) == (400, "format")


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400), (b"nonsense", 400), (b"[]", 422), (b"{}", 422), (b'{"kind":"load"}', 422),
        (b'{"kind":"steal","liveblog":"gderby"}', 422), (b'{"kind":"load","liveblog":7}', 422),
        (b'{"kind":"load","liveblog":"gderby","url":null}', 422), (b'{"kind":"load","liveblog":"gderby","ms":NaN}', 400),
        (b'{"kind":"retention","liveblog":"gderby","ms":1e400}', 400),
        (b'{"kind":"retention","liveblog":"gderby","ms":-1}', 422), (b'{"kind":"retention","liveblog":"gderby","ms":1.5}', 422),
        (b'{"kind":"retention","liveblog":"gderby","ms":99999999999999999999}', 400),
        (b'{"kind":"retention","liveblog":"gderby","ms":86400001}', 422),
        (b'{"kind":"retention","liveblog":"gderby","ms":true}', 422), (b'{"kind":"load","liveblog":"gderby","url":"\\ud800"}', 400),
        (b'{"kind":"load","liveblog":"gderby","first":"yes"}', 422), (b'{"kind":"load","liveblog":"g\\u0000"}', 400),
        (b'{"kind":"load","liveblog":"gderby","url":"' + b"a" * 2100 + b'"}', 422), (b" " * 5000, 413),
        (b"[" * 4000, 400), (b"\xff\xfe", 400),
    ],
)  # fmt: skip
async def test_hostile_beacons_are_refused_and_counted_nowhere(site, body, status):
    """Whatever is sent, never 500."""
    async with site.http() as http:
        response = await http.post(COLLECT, params={"client_id": "reader"}, content=body)
    await site.writer.flush()

    assert response.status_code == status, response.text
    assert (await site.read("overview.json"))["visitorMetrics"] == ZEROS


async def test_a_beacon_wants_no_secret_and_no_question_before_it(site):
    """A page of another site may send it; without the client's id it is refused where feeds are not public."""
    response = await site.report(kind="load")
    async with site.http() as http:
        nobody = await http.post(COLLECT, content=b"{}")
        preflight = await http.options(COLLECT)

    assert response.headers["Access-Control-Allow-Origin"] == "*"
    assert "Set-Cookie" not in response.headers
    assert (nobody.status_code, preflight.status_code) == (401, 204)
