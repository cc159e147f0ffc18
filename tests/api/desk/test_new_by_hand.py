"""Liveblogs that a person makes without a provider, and the archive of all: forms sent once, twice and with faults."""

import re

import pytest

from config.organizations import Template
from tests.api.conftest import contents
from tests.kit import matchday
from tests.kit.desk import Desk, a_person
from tests.kit.settings import configure

BY_HAND, TOPIC, ARCHIVE = "/desk/new/match", "/desk/new/topic", "/desk/liveblogs"
DERBY = {"sport": "soccer", "home": "SV Hafenstadt", "away": " TuS  Nordufer ", "competition": "Küstencup", "day": "2026-09-27",
         "time": "15:30", "locale": "de", "comments": "yes", "key": "k1"}  # fmt: skip
DRAW = {"title": "Cup draw", "template": "news", "day": "", "locale": "en", "editorial": "yes", "key": "k2"}


async def made(server, response):
    """The liveblog that the answer to a form leads to, as the API shows it."""
    assert response.status_code == 303, response.text
    name = response.headers["location"].rsplit("/", 1)[1]
    return await Desk(server.http).read("ticker/show", local_id=name)


async def test_a_match_by_hand_has_teams_of_the_master_data_or_new_ones(server):
    """A form that is sent twice makes one liveblog; the next match of the same teams makes no more teams."""
    browser = await a_person(server)
    game = await made(server, await browser.submit(BY_HAND, DERBY))
    meta = game["meta_info"]

    assert [meta[side]["name"] for side in ("home_team", "away_team")] == ["SV Hafenstadt", "TuS Nordufer"]
    assert (meta["tournament"]["name"], meta["starts_at"], game["locale"]) == ("Küstencup", 1790523000, "de")
    assert (game["sportstype"], meta["allow_comments"], meta["editorial_publishing"]) == ("soccer", True, False)
    assert game["options"]["regular_phase_length"] == 45
    assert (await made(server, await browser.submit(BY_HAND, DERBY)))["local_id"] == game["local_id"]
    back = {**DERBY, "home": DERBY["away"], "away": DERBY["home"], "key": "k3"}
    second = (await made(server, await browser.submit(BY_HAND, back)))["meta_info"]
    assert [second[side]["_id"] for side in ("away_team", "home_team")] == [
        meta[side]["_id"] for side in ("home_team", "away_team")
    ]
    assert 'value="TuS Nordufer"' in (await browser.send("GET", BY_HAND)).text
    assert "ticker.create" in {row["operation"] for row in (await contents(server))["audit_entries"]}


async def test_a_topic_has_a_title_and_a_template(server):
    """News, a race, or what the operator has declared."""
    configure(
        server.services.settings, matchday.ORGANIZATION, templates={"gala": Template(name="Gala", sportstype="news")}
    )
    browser = await a_person(server)
    game = await made(server, await browser.submit(TOPIC, DRAW))

    assert (game["meta_info"]["title"], game["template_id"], "starts_at" in game["meta_info"]) == (
        "Cup draw",
        "news",
        False,
    )
    assert (game["meta_info"]["editorial_publishing"], game["meta_info"]["allow_comments"]) == (True, False)
    page = (await browser.send("GET", TOPIC)).text
    assert [f'value="{each}"' in page for each in ("news", "motorsports", "gala", "soccer")] == [
        True,
        True,
        True,
        False,
    ]


@pytest.mark.parametrize(
    ("path", "changed", "field"),
    [
        (BY_HAND, {"sport": "cycling"}, "sport"), (BY_HAND, {"sport": "x"}, "sport"), (BY_HAND, {"home": " "}, "home"),
        (BY_HAND, {"away": "sv hafenstadt"}, "away"), (BY_HAND, {"day": "2026-02-30"}, "day"),
        (BY_HAND, {"time": "25:00"}, "day"), (TOPIC, {"title": ""}, "title"), (TOPIC, {"template": "No such!"}, "template_id"),
    ],
)  # fmt: skip
async def test_what_is_wrong_stands_beside_its_field_and_nothing_is_lost(server, path, changed, field):
    """The form comes back as it was sent, and nothing is made."""
    sent = {**(DERBY if path == BY_HAND else DRAW), **changed}
    before = await contents(server)
    page = await (await a_person(server)).submit(path, sent)

    assert (page.status_code, f'id="{field.removesuffix("_id")}-wrong"' in page.text) == (422, True)
    assert f'value="{sent["key"]}"' in page.text
    after = await contents(server)
    assert [before[name] == after[name] for name in ("games", "teams", "tournaments")] == [True] * 3


async def test_the_archive_has_all_and_an_admin_ends_and_deletes(server):
    """Found by words and by when they begin; what is ended stays, what is deleted is gone, and an editor does neither."""
    editor, admin = await a_person(server), await a_person(server, role="admin")
    match, draw = [await made(server, await editor.submit(*each)) for each in ((BY_HAND, DERBY), (TOPIC, DRAW))]

    def listed(page):
        return re.findall(r'href="[./]*desk/liveblogs/(g\w+)"', page.text)

    assert set(listed(await editor.send("GET", ARCHIVE))) >= {draw["local_id"], match["local_id"]}
    assert listed(await editor.send("GET", f"{ARCHIVE}?q=hafenst")) == [match["local_id"]]
    assert match["local_id"] not in listed(await editor.send("GET", f"{ARCHIVE}?when=past"))
    for act, game, word in (("end", match, "Hafenstadt"), ("delete", draw, "draw")):
        sent = {act: game["local_id"], "q": word}
        assert (await editor.submit(f"{ARCHIVE}/act", sent)).status_code == 403
        done = await admin.submit(f"{ARCHIVE}/act", sent)
        assert (done.status_code, done.headers["location"]) == (303, f"../../desk/liveblogs?q={word}")
    page = await admin.send("GET", f"{ARCHIVE}?q=Hafenstadt")
    assert ("Finished" in page.text, 'name="end"' in page.text, listed(page)) == (True, False, [match["local_id"]])
    assert listed(await admin.send("GET", f"{ARCHIVE}?q=draw")) == []
    refused = [await admin.submit(f"{ARCHIVE}/act", {act: draw["local_id"]}) for act in ("end", "delete")]
    assert [each.status_code for each in refused] == [409, 409]
