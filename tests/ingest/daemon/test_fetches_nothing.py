"""Addresses in documents are shown, never called: no way leads from them to what only this machine can reach."""

import asyncio

import httpx

from tests.kit.day import ORGANIZATION, match_day
from tests.kit.news_daemon import NEWS, WRITE
from tests.providers.loopback import answered, upstream

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
