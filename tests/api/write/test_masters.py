"""Players, teams and tournaments: each field of the reference is written, kept, cleared and refused as it says."""

from dataclasses import dataclass
from typing import Any

import pytest

from store.media import uploads
from store.media.uploads import Upload
from tests.kit import matchday
from tests.kit.desk import player, refused, team, tournament
from tests.kit.event_desk import DESK, Desk, post
from tests.kit.interface_tables import OURS, documents

TEXT = OURS.read_text(encoding="utf-8")
ORGANIZATION = matchday.ORGANIZATION
MISSING = "5f0c1de2a1b2c3d4e5f60999"
NEW = {"player": player, "team": team, "tournament": tournament}


@dataclass(frozen=True)
class Sample:
    """A value of a field, what comes back (the value itself where nothing is said), and values that are refused."""

    value: Any
    refused: tuple[Any, ...] = (7, {}, "a\0b")
    shown: Any = None

    @property
    def response(self):
        return self.value if self.shown is None else self.shown


WORDS = Sample("Some words", refused=(7, [], True))
REQUIRED = Sample("Another name", refused=("", None, 7))
IMAGE = Sample("https://img.example/a.png", refused=("http://img.example/a.png", "a.png", 7))
LOGO = Upload(
    key="L" * 32, organization_id=ORGANIZATION, client_id="desk", subtype="i", content_type="image/png", digest="d",
    bytes=4, width=640, height=480, created_at=1,
)  # fmt: skip
SAMPLES = {
    "_type": Sample("Svc::Model::{Kind}", refused=("Svc::Model::Game", 7)),
    "ext_id": Sample("their-7", refused=(7, "x" * 256)),
    "name": REQUIRED,
    "short_name": WORDS,
    "name_addition": WORDS,
    "country": Sample("DE", refused=("de", "GER", "D1", 49)),
    "number": Sample("9a", refused=(9,)),
    "team_member_since": Sample("1234567890", refused=(10**12, "yesterday", True), shown=1_234_567_890),
    "position": Sample("keeper", refused=(1,)),
    "birthdate": Sample(-86_400.5, refused=(10**12, "1990-01-01", True), shown=-86_401),
    "gender": Sample("o", refused=("x", "M", 1)),
    "height": Sample(184, refused=(-1, "184", 1.5)),
    "weight": Sample(77_000, refused=(-1, "77", True)),
    "about": WORDS,
    "facebook": WORDS,
    "twitter": WORDS,
    "instagram": WORDS,
    "image": IMAGE,
    "banner_image": Sample(LOGO.url, refused=("ftp://x.example/a", "imageservice://0abc", 7)),
    "owner_id": Sample(ORGANIZATION, refused=(None, "", 7)),
    "sportstype": Sample("handball", refused=(None, "", 7, "x" * 65)),
    "team_id": Sample("{team}", refused=(MISSING, 7)),
    "_id": Sample("{id}", refused=(None, "", 7)),
}
REQUIRED_NAMES = {"_id", "name", "owner_id", "sportstype"}


def rows(words):
    """(kind, field) for each row of the create or update documents in the reference."""
    found = [
        (kind, name) for kind in NEW for name in documents(TEXT)[f"`Svc::Model::{kind.title()}`, {words} document"]
    ]
    assert len(found) > 25, "the tables are empty"
    return found


CREATED, UPDATED = rows("create"), rows("update")


def filled(value, kind, **names):
    """The sample with its blanks filled in."""
    return value.format(Kind=kind.title(), **names) if isinstance(value, str) else value


@pytest.fixture
async def records(desk, store):
    """One record of each kind, and the blanks of the samples."""
    await store.write(lambda unit: uploads.create(unit, LOGO))
    return {kind: await desk.made(f"{kind}/create", new()) for kind, new in NEW.items()}


def test_every_field_has_a_sample():
    """No row of the reference without one, and no sample without a row."""
    assert {name for _, name in (*CREATED, *UPDATED)} == set(SAMPLES)


@pytest.mark.parametrize("kind", NEW)
async def test_the_fields_of_the_create_document(desk, records, kind):
    """Each comes back as it was sent; wrong values are 422 with its name, and create nothing."""
    blanks = {"team": records["team"]["_id"], "id": ""}
    names = [name for of, name in CREATED if of == kind]
    for name in names:
        sample = SAMPLES[name]
        made = await desk.made(f"{kind}/create", NEW[kind](**{name: filled(sample.value, kind, **blanks)}))
        assert made[name] == filled(sample.response, kind, **blanks), name
        assert await desk.read(f"{kind}/show", _id=made["_id"]) == made
        for wrong in sample.refused:
            assert refused(await desk.post(f"{kind}/create", NEW[kind](**{name: wrong}))) == (422, name), wrong
    assert (await desk.read(f"{kind}/index"))["total"] == 1 + len(names)


@pytest.mark.parametrize("kind", NEW)
async def test_the_fields_of_the_update_document(desk, records, kind):
    """Each changes; absent it stays; null and the empty string clear it, unless it is required; wrong values are 422."""
    for name in [name for of, name in UPDATED if of == kind]:
        await check_update(desk, kind, name, await desk.made(f"{kind}/create", NEW[kind]()), records["team"]["_id"])


async def check_update(desk, kind, name, record, team_id):
    sample = SAMPLES[name]
    base = {"_id": record["_id"], "name": record["name"]}
    blanks = {"team": team_id, "id": record["_id"]}

    changed = await desk.made(f"{kind}/update", {**base, name: filled(sample.value, kind, **blanks)})
    assert changed[name] == filled(sample.response, kind, **blanks)
    for wrong in sample.refused:
        assert refused(await desk.post(f"{kind}/update", {**base, name: wrong})) == (422, name), wrong
    base["name"] = changed["name"]
    assert await desk.made(f"{kind}/update", base) == changed
    if name not in REQUIRED_NAMES | {"_type"}:
        for empty in (None, ""):
            assert name not in await desk.made(f"{kind}/update", {**base, name: empty})
            await desk.made(f"{kind}/update", {**base, name: filled(sample.value, kind, **blanks)})


@pytest.mark.parametrize("kind", NEW)
async def test_what_is_not_accepted_is_ignored(desk, records, kind):
    """Owner, sport, team and `inactive` do not change; unknown names are nothing."""
    record = records[kind]
    surplus = {
        "owner_id": matchday.OTHER, "sportstype": "tennis", "team_id": MISSING, "inactive": True, "created_at": 1,
        "surplus": {"deep": [1]},
    }  # fmt: skip
    if kind == "tournament":
        surplus["short_name"] = "KC"

    assert await desk.made(f"{kind}/update", {**surplus, "_id": record["_id"], "name": record["name"]}) == record
    created = await desk.made(f"{kind}/create", {**NEW[kind](), "_id": "mine", "inactive": True, "surplus": 1})
    assert created["_id"] not in {"mine", record["_id"]}
    assert created.get("inactive", False) is False
    assert "surplus" not in created


async def test_an_ext_id_need_not_be_unique(desk):
    """A second record of organization and sport has it too, when made and when changed; each can have another one."""
    first = await desk.made("player/create", player(ext_id="7"))
    second = await desk.made("player/create", player(ext_id="7"))
    third = await desk.made("player/create", player(ext_id="8"))
    update = {"_id": third["_id"], "name": third["name"], "ext_id": "7"}

    assert [first["ext_id"], second["ext_id"]] == ["7", "7"]
    assert await desk.made("player/update", update) == {**third, "ext_id": "7"}
    assert await desk.made("player/update", update) == await desk.read("player/show", _id=third["_id"])
    for each in (first, second, third):
        own = {"_id": each["_id"], "name": each["name"], "ext_id": f"9{each['_id']}"}
        assert (await desk.made("player/update", own))["ext_id"] == f"9{each['_id']}"
        assert "ext_id" not in await desk.made("player/update", {**own, "ext_id": None})


WRITE = "/api/v5/write"
SCORER = "Svc::Model::Content::SportEventPlayer"


@pytest.fixture
async def derby_desk(public):
    await public.add(matchday.derby())
    return Desk(public.http)


async def listed(derby_desk, noun, **query):
    response = await derby_desk.http.get(f"{WRITE}/{noun}/index.json", params=query, auth=DESK)
    assert response.status_code == 200
    return response.json()["objects"]


def goal(*players, **more):
    parts = [{"_type": SCORER, "event_player_type": "scorer", "player": each} for each in players]
    block = {"_type": "Svc::Model::Content::SportEventContentBlock", "event_type": "soccer.goal", "players": parts}
    return {**block, **more}


async def test_a_tournament_by_name_is_made_once(derby_desk):
    """A second liveblog names the same one, as a change of the meta info does; the answer has its id."""
    meta = {
        "_type": "Svc::Model::GameMetaInfo::TeamGameMetaInfo",
        "home_team": {"name": "A"},
        "away_team": {"name": "B"},
        "tournament": {"_type": "Svc::Model::Tournament", "name": "Küstencup"},
    }
    draft = {
        "_type": "Svc::Model::Game",
        "organization_id": matchday.ORGANIZATION,
        "template_id": "soccer",
        "meta_info": meta,
    }
    games = [
        (await derby_desk.http.post(f"{WRITE}/ticker/create.json", json=draft, auth=DESK)).json() for _ in range(2)
    ]

    (record,) = await listed(derby_desk, "tournament", q="Küstencup")
    assert [each["meta_info"]["tournament"]["_id"] for each in games] == [record["_id"]] * 2
    assert (record["name"], record["sportstype"], record["owner_id"]) == ("Küstencup", "soccer", matchday.ORGANIZATION)


async def test_players_and_teams_of_a_post_by_name(derby_desk):
    """Each is made once, also where a post names it twice; what the post says beside the name stays."""
    kim = {"_type": "Svc::Model::Player", "name": "Kim Neu", "number": "7"}
    team = {"_type": "Svc::Model::Team", "name": "Neue Elf"}
    incident = goal(kim, kim, team=team)
    written = await derby_desk.create(post(local_id="eone", sport_event=incident))
    second = await derby_desk.create(post(local_id="etwo", sport_event=goal(kim)))
    changed = await derby_desk.update("etwo", {"sport_event": goal({**kim, "number": "8"})})

    (record,) = await listed(derby_desk, "player", q="Kim Neu")
    (club,) = await listed(derby_desk, "team", q="Neue Elf")
    for event in (written, second, changed):
        assert {each["player"]["_id"] for each in event["sport_event"]["players"]} == {record["_id"]}
    assert written["sport_event"]["team"]["_id"] == club["_id"]
    assert written["sport_event"]["players"][0]["player"]["number"] == "7"
    assert changed["sport_event"]["players"][0]["player"]["number"] == "8"
    assert await derby_desk.create(post(local_id="eone", sport_event=incident)) == written


async def test_who_has_an_id_is_no_new_record(derby_desk):
    """Of an import, by `local_id`; or nobody, without a name."""
    people = [{"_type": "Svc::Model::Player", "local_id": "p9", "name": "Imp Ort"}, {"number": "3"}]
    await derby_desk.create(post(sport_event=goal(*people)))

    assert await listed(derby_desk, "player") == []


async def test_a_player_card_and_the_older_form_name_players_too(derby_desk):
    """Wherever a post shows a player."""
    card = {"_type": "Svc::Model::Content::PlayerCardContentBlock", "player": {"name": "Card Player"}, "title": "Man"}
    info = {"_type": "Svc::Model::EventInfo::BasicEventInfo", "event_type": 1, "player": {"name": "Old Player"}}
    await derby_desk.create(post(contents=[card]))
    await derby_desk.create({"_type": "Svc::Model::Event", "event_info": info})

    assert {each["name"] for each in await listed(derby_desk, "player")} == {"Card Player", "Old Player"}
