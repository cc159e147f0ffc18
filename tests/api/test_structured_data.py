"""What search engines read of a liveblog: on its page and in what a CMS fetches, by one table of rules."""

import json
import re

import pytest
from sqlalchemy import text as sql

from api.page.structured_data import script
from mapping.locales import translator
from mapping.locales.labels import INTERRUPTED
from mapping.match.match import Status
from store.engine.liveblog_records import Change
from store.liveblogs.liveblogs import record
from tests.kit import matchday, poison
from tests.kit.event_desk import Desk, post
from tests.kit.settings import configure
from tests.kit.showing import add, file, item, showing
from tests.kit.structured_rules import faults

PAGE = "/liveblogs/gderby"
PREFETCH = "/api/embed/v4/prefetch/liveblog.json"
AT = "https://live.example.org/blogs/liveblogs/gderby"
SCRIPT = re.compile(r'<script type="application/ld\+json">(.*?)</script>', re.DOTALL)


async def of_page(server, name="gderby"):
    response = await server.http.get(f"/liveblogs/{name}")
    assert response.status_code == 200, response.text
    (found,) = SCRIPT.findall(response.text)
    return json.loads(found)


async def of_prefetch(server, name="gderby"):
    response = await server.http.get(PREFETCH, params={"liveblogId": name})
    assert response.status_code == 200, response.text
    return response.json()["schema"]


EVERYWHERE = pytest.mark.parametrize("read", [of_page, of_prefetch], ids=["page", "prefetch"])


def ids(schema):
    return [each["url"].partition("#")[2] for each in schema.get("liveBlogUpdate", [])]


def state(gamestate):
    return {"_type": "Svc::Model::GameStateInfo::BasicGameStateInfo", "gamestate": gamestate}


@pytest.fixture
async def derby(public):
    await public.add(matchday.derby())
    return public


@EVERYWHERE
async def test_a_liveblog_is_a_live_blog_posting(derby, read):
    """Every field of the table, with the newest post first."""
    schema = await read(derby)

    assert faults(schema) == []
    assert schema["headline"] == "SV Hafenstadt – Alpenverein Bergheim"
    assert schema["url"] == AT
    assert (
        schema["author"]
        == schema["publisher"]
        == {"@type": "Organization", "name": "Example Newsroom", "url": "https://live.example.org/"}
    )
    assert ids(schema) == list(reversed(matchday.PUBLIC))
    goal = next(each for each in schema["liveBlogUpdate"] if each["url"] == f"{AT}#egoal")
    assert goal["headline"].startswith("15' Goal 1-0")
    assert goal["articleBody"] == matchday.FIRST_GOAL
    assert goal["datePublished"].endswith("+00:00")


@EVERYWHERE
async def test_a_match_is_a_sports_event(public, read):
    """Who plays, where and when; the logos of the teams come through the proxy."""
    place = {"_type": "Svc::Model::Location", "name": "Stadion am Kai", "city": "Kiel", "country": "DE"}
    home = {**matchday.HOME, "image": "https://img.example.org/haf.png"}
    meta = {**matchday.document()["meta_info"], "location": place, "home_team": home}
    await add(public, meta_info=meta)
    schema = await read(public)

    logo = schema["about"]["competitor"][0].pop("logo")
    assert logo.startswith("https://live.example.org/blogs/media/")
    assert schema["about"] == {
        "@type": "SportsEvent",
        "name": "SV Hafenstadt – Alpenverein Bergheim",
        "sport": "soccer",
        "startDate": "2026-09-21T13:00:00+00:00",
        "eventStatus": "https://schema.org/EventScheduled",
        "location": {
            "@type": "Place",
            "name": "Stadion am Kai",
            "address": {"@type": "PostalAddress", "addressLocality": "Kiel", "addressCountry": "DE"},
        },
        "competitor": [
            {"@type": "SportsTeam", "name": "SV Hafenstadt"},
            {"@type": "SportsTeam", "name": "Alpenverein Bergheim"},
        ],
    }
    assert faults(schema) == []


@EVERYWHERE
async def test_a_match_that_is_moved_says_from_when(public, read):
    """Rescheduled with both starts, on the page the new one; postponed, and without a start, as long as there is no new one."""
    meta = matchday.document()["meta_info"]
    await add(public, meta_info=meta, state_info=state(0))
    postponed = {"summary": translator("en").text(INTERRUPTED[Status.POSTPONED])}

    async def moved(**fields):
        game = matchday.document(state_info=state(0), **fields)
        await public.store.write(lambda unit: record(unit, "6a" * 12, Change(game=game)))
        schema = await read(public)
        assert faults(schema) == []
        about = schema["about"]
        status = about["eventStatus"].removeprefix("https://schema.org/Event")
        return status, about.get("startDate"), about.get("previousStartDate")

    known, later = "2026-09-21T13:00:00+00:00", "2026-09-23T17:30:00+00:00"
    assert await moved(meta_info={**meta, "starts_at": None}, **postponed) == ("Postponed", known, None)
    new = {**meta, "starts_at": meta["starts_at"] + 2 * 86_400 + 4 * 3600 + 1800}
    assert await moved(meta_info=new) == ("Rescheduled", later, known)
    assert '<time datetime="2026-09-23T17:30:00Z"' in (await public.http.get(PAGE)).text
    assert await moved(meta_info=meta) == ("Scheduled", known, None)
    unseen = matchday.document(meta_info=new, state_info=state(0))
    for change in (Change(local_status=60), Change(game=unseen), Change(local_status=0)):
        await public.store.write(lambda unit, change=change: record(unit, "6a" * 12, change))
    assert await moved(meta_info=new) == ("Scheduled", later, None)  # moved while nobody saw it


@EVERYWHERE
async def test_the_coverage_ends_with_the_match_and_goes_on_with_it(public, read):
    """No end before the match is over; then the last post, a later one too; none again where the match goes on."""
    await add(public, *matchday.afternoon())
    desk = Desk(public.http)
    assert "coverageEndTime" not in await read(public)

    await public.store.write(lambda unit: record(unit, "6a" * 12, Change(game=matchday.document(state_info=state(31)))))
    over = await read(public)
    assert faults(over) == []
    assert over["coverageStartTime"] == over["liveBlogUpdate"][-1]["datePublished"]
    assert over["coverageEndTime"] == over["liveBlogUpdate"][0]["datePublished"]

    await desk.create(post("What a match.", local_id="elast"))
    later = await read(public)
    assert later["coverageEndTime"] == later["liveBlogUpdate"][0]["datePublished"] > over["coverageEndTime"]

    await public.store.write(lambda unit: record(unit, "6a" * 12, Change(game=matchday.document(state_info=state(2)))))
    assert "coverageEndTime" not in await read(public)


@EVERYWHERE
async def test_the_date_of_change_is_that_of_a_public_change(derby, read):
    """A draft's change is none; a corrected post's is."""
    desk = Desk(derby.http)
    await derby.store.write(_age)
    calm = await read(derby)
    await desk.update("edraft", {"headline": "Secret"})
    assert (await read(derby))["dateModified"] == calm["dateModified"] == "2026-09-21T14:10:01+00:00"

    await desk.update("ekick", {"headline": "Corrected"})
    assert (await read(derby))["dateModified"] == "2026-09-21T14:12:20+00:00"


def _age(unit):
    """Make everything a little older than the test."""
    unit.conn.execute(sql("UPDATE events SET updated_at = created_at + 1"))
    unit.conn.execute(sql(f"UPDATE games SET created_at = {matchday.KICK_OFF}"))


@EVERYWHERE
async def test_what_no_reader_sees_and_what_is_empty_is_no_update(public, read):
    """Drafts, scheduled posts, withdrawn ones and those without a word or file."""
    at = matchday.KICK_OFF
    await add(
        public,
        matchday.event("eempty", at),
        matchday.event("etags", at + 1, contents=[matchday.text("<p> <br></p>")]),
        matchday.event("edraft", at + 2, status=60, headline="Hidden"),
        matchday.event("elater", at + 3, publish_at=at + 10**6, headline="Hidden"),
        matchday.event("eshown", at + 4, contents=[matchday.text("<p>Rain &amp; <strong>wind</strong></p>")]),
        matchday.event("egone", at + 5, headline="Hidden"),
        matchday.event("eback", at + 6, headline="Hidden"),
    )
    desk = Desk(public.http)
    await desk.delete("egone")
    await desk.update("eback", {"local_status": 60})
    schema = await read(public)

    assert ids(schema) == ["eshown"]
    assert schema["liveBlogUpdate"][0]["articleBody"] == "Rain & wind"
    assert "Hidden" not in json.dumps(schema)
    assert faults(schema) == []


@EVERYWHERE
async def test_images_and_videos_are_complete(public, read):
    """An image at the proxy's address; a video with the post's own image; nothing under a warning. The card stands for all."""
    photo = file("mphoto", "https://img.example.org/1.jpg", title="The goal", credit="dpa", width=1000, height=500)
    clip = file("mclip", "https://video.example.org/1.mp4", "v", duration_ms=42_000)
    hidden = file("mhidden", "https://img.example.org/secret.jpg")
    items = [item(photo), item(clip), item(hidden, content_warning="")]
    await add(public, showing("efiles", photo, clip, hidden, items=items))
    schema = await read(public)

    (update,) = schema["liveBlogUpdate"]
    (image,), (video,) = update["image"], update["video"]
    assert image["url"].startswith("https://live.example.org/blogs/media/")
    assert (image["caption"], image["creditText"], image["width"], image["height"]) == ("The goal", "dpa", 1000, 500)
    assert video == {
        "@type": "VideoObject",
        "name": "The goal",
        "description": "The goal",
        "uploadDate": update["datePublished"],
        "contentUrl": "https://video.example.org/1.mp4",
        "thumbnailUrl": image["url"],
        "duration": "PT42S",
    }
    assert schema["image"] == f"{AT}/card.png?v=1"
    assert faults(schema) == []


@EVERYWHERE
async def test_hostile_texts_stay_texts(public, read):
    """Markup and script in every field of a liveblog, and events that no API call could have made."""
    await public.add(poison.xss_liveblog())
    await public.store.write(poison.insert)
    xss, spoilt = await read(public, poison.xss_liveblog().local_id), await read(public, "gpoison")

    assert "alert(1)" in json.dumps(xss)
    assert faults(spoilt) == []
    assert set(matchday.PUBLIC) <= set(ids(spoilt))


def test_no_text_ends_the_element():
    """Neither by markup nor by a line separator; the data stay what they were."""
    schema = {"headline": "</script><script>alert(1)</script><!-- & \u2028\u2029 \N{BALLOON}"}
    inner = script(schema).removeprefix('<script type="application/ld+json">').removesuffix("</script>")

    assert not set("<>&\u2028\u2029") & set(inner)
    assert json.loads(inner) == schema


async def test_without_teams_and_images_the_publishers_logo_stands_for_a_video(public):
    """On a page that has no card."""
    video = file("mclip", "https://clips.example.org/1.mp4", "v", duration_ms=9000)
    configure(public.services.settings, matchday.ORGANIZATION, logo="https://news.example/logo.png")
    nobody = {"meta_info": {"title": "Election night"}, "scoreboard": None}
    await public.add(matchday.Liveblog(document=matchday.document(**nobody), events=(showing("eclip", video),)))
    schema = await of_page(public)

    assert schema["liveBlogUpdate"][0]["video"][0]["thumbnailUrl"] == "https://news.example/logo.png"
    assert "image" not in schema


SIX = ("soccer", "icehockey", "tennis", "american_football", "motorsports", "cycling")


@EVERYWHERE
@pytest.mark.parametrize(("sport", "gamestate"), list(zip(SIX, (0, 1, 31, 0, 1, 31), strict=True)))
async def test_nothing_that_is_required_is_missing_in_any_sport(public, read, sport, gamestate):
    """Before, during or after a match: with a place and a start even where neither venue nor kick-off is known."""
    video = file("mclip", "https://clips.example.org/1.mp4", "v", duration_ms=9000)
    meta = {**matchday.document()["meta_info"], "location": None, "starts_at": None}
    await public.add(
        matchday.Liveblog(
            document=matchday.document(sportstype=sport, meta_info=meta, state_info=state(gamestate)),
            sportstype=sport,
            events=(showing("eclip", video),),
        )
    )
    configure(public.services.settings, matchday.ORGANIZATION, logo="https://news.example/logo.png")
    schema = await read(public)
    (clip,) = schema["liveBlogUpdate"][0]["video"]

    assert faults(schema) == []
    assert schema["about"]["location"] == {"@type": "VirtualLocation", "url": AT}
    assert {each["@type"] for each in schema["about"]["competitor"]} == {
        "Person" if sport == "tennis" else "SportsTeam"
    }
    assert clip["thumbnailUrl"] == schema["image"] == f"{AT}/card.png?v=1"
    assert schema["author"]["url"] == "https://news.example/"
