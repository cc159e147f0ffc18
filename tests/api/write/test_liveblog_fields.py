"""Each field of the liveblog documents in the reference: written and shown, and refused where its value is wrong."""

from functools import partial

import pytest

from store.masterdata.declarations import Declaration, declare
from tests.kit import matchday
from tests.kit.desk import BOARD, META, MODIFICATION, change, good, match, news, permission, refused
from tests.kit.interface_tables import OURS, documents, enums, operations, parameters

TEXT = OURS.read_text(encoding="utf-8")
DOCUMENTS = documents(TEXT)
TITLE, TEAMS = f"{META}TitleGameMetaInfo", f"{META}TeamGameMetaInfo"
SCORE = f"{BOARD}ScoreboardScore"
TIMED = "Svc::Model::Options::TimedGameOptions"
STATE = "Svc::Model::GameStateInfo::TimeBasedGameStateInfo"
PERMISSION = {"_type": "Svc::Model::SharedPermission", **permission(matchday.OTHER)}
MARKET = {"_type": "Svc::Model::MarketplaceInfo::BasicMarketplaceInfo", "detail": "All goals"}
PAIR = {"_type": SCORE, "home_score": "1", "away_score": "0", "title": "1"}

GAME = {
    "_type": ("Svc::Model::Game", "Svc::Model::Game", ["Svc::Model::Event", 7]),
    "organization_id": (matchday.ORGANIZATION, None, [None, "", 7]),
    "template_id": ("tennis", None, [None, "", 7, "Not a sport"]),
    "meta_info": ({"_type": TITLE, "title": "x"}, None, [None, {}, [], {"_type": TITLE, "title": 7}]),
    "scoreboard": ({"_type": f"{BOARD}TeamGameScoreboard", "score": PAIR}, None, [7, {"_type": "Svc::X"}]),
    "options": ({"_type": TIMED, "timing_type": "au"}, None, [7, {"_type": TIMED, "timing_type": "x"}]),
    "tags": (["derby"], None, [7, [7], [""]]),
    "external_url": ("https://news.example/derby", None, [7, "javascript:alert(1)", "x"]),
    "external_id": ("cms-1", None, [7, "x" * 300]),
    "use_syndication_controls": (True, None, ["true", 1]),
    "locale": ("de", None, ["tlh", 7]),
    "permissions": ([PERMISSION], None, [7, [{}]]),
    "marketplace_info": (MARKET, None, [7, {"pricing": {"_id": "unknown"}}]),
}
"""Field of the create document → what is sent, what is shown where that differs, what is refused."""

META_INFO = {
    TITLE: {
        "title": "Finale", "editorial_publishing": True, "allow_comments": False, "starts_at": 1_789_995_600,
    },
    TEAMS: {
        "title": "Finale", "home_team": {"name": "A"}, "away_team": {"name": "B"}, "tournament": {"_id": "cup"},
        "location": {"_id": "kai"}, "editorial_publishing": True, "allow_comments": False, "starts_at": -1,
    },
}  # fmt: skip
OPTIONS = {
    "timing_type": enums(TEXT)["timing_type"],
    "regular_phase_length": (45, 0),
    "num_regular_phases": (1, 4),
    "overtime_phase_length": (15,),
    "num_overtime_phases": (2,),
}
MODIFICATIONS = {
    "UpdateGameMetaInfo": {
        "sportstype": "tennis",
        "meta_info": {"_type": TITLE, "title": "y"},
        "locale": "de",
        "external_url": "https://news.example/x",
        "tags": ["x"],
    },
    "UpdateGameMarketplaceInfo": {"marketplace_info": MARKET},
    "UpsertScoreboard": {"scoreboard": {"_type": f"{BOARD}TeamGameScoreboard", "score": PAIR}},
    "UpdateGameState": {"state_info": {"_type": STATE, "gamestate": 1, "timeout": False}},
    "UpdateGameOptions": {"options": {"_type": TIMED, "timing_type": "u"}},
    "UpdateGameScoreInfo": {"score_info": {"home_score": 1}},
    "DeleteGame": {"local_status": "100"},
    "UpsertPermission": {"permission": PERMISSION},
    "DeletePermission": {"refid": "x"},
}
OPTIONAL = {("UpdateGameMetaInfo", name) for name in ("sportstype", "locale", "external_url", "tags")}


def fields_of(heading):
    """The names in a table of the reference, without `_type`."""
    return set(DOCUMENTS[f"`{heading}`"]) - {"_type"}


def test_every_field_of_the_reference_is_exercised():
    """The tables here name what the reference names, and nothing else."""
    assert set(GAME) == set(DOCUMENTS["`Svc::Model::Game`, create document"])
    for kind, fields in META_INFO.items():
        assert set(fields) == fields_of(kind)
    assert set(OPTIONS) == fields_of(TIMED)
    described = {heading.strip("`").removeprefix(MODIFICATION) for heading in DOCUMENTS if MODIFICATION in heading}
    assert {f"{kind}Modification" for kind in MODIFICATIONS} == described
    for kind, fields in MODIFICATIONS.items():
        assert set(fields) == fields_of(f"{MODIFICATION}{kind}Modification")


@pytest.mark.parametrize("name", GAME)
async def test_a_field_of_a_new_liveblog(desk, name):
    """It comes back; wrong values are 422 with a path that begins with its name."""
    value, shown, wrong = GAME[name]

    sport = {"template_id": "soccer"}
    game = await desk.made("ticker/create", news(**sport | {name: value}))
    assert game[name] == (value if shown is None else shown)
    for each in wrong:
        status, field = refused(await desk.post("ticker/create", news(**sport | {name: each})))
        assert (status, field.split(".")[0]) == (422, name), each
    assert (await desk.read("ticker/search"))["total"] == 1


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind, fields in META_INFO.items() for name in fields])
async def test_a_field_of_the_meta_info(server, desk, kind, name):
    """It is kept on creation, set and cleared by a modification."""
    cup = await desk.made("tournament/create", {
        "name": "Cup", "owner_id": matchday.ORGANIZATION, "sportstype": "soccer",
    })  # fmt: skip
    place = Declaration(owner_id=matchday.ORGANIZATION, kind="location", id="kai", fields={"name": "Kai"})
    await server.store.write(partial(declare, declared=[place]))
    value = META_INFO[kind][name]
    if name == "tournament":
        value = {"_id": cup["_id"]}

    def holds(game):
        kept = game["meta_info"].get(name)
        return value.items() <= kept.items() if isinstance(value, dict) else kept == value

    assert holds(await desk.made("ticker/create", news(meta_info={"_type": kind, name: value})))
    other = await desk.made("ticker/create", news(meta_info={"_type": kind}))
    update = change("UpdateGameMetaInfo", meta_info={"_type": kind, name: value})
    assert holds(good(await desk.modify(other, update)))
    cleared = good(await desk.modify(other, change("UpdateGameMetaInfo", meta_info={"_type": kind, name: None})))
    assert name not in cleared["meta_info"]


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in OPTIONS.items() for value in values])
async def test_a_value_of_the_timed_options(desk, name, value):
    """Each timing, lengths in minutes."""
    options = {"_type": TIMED, name: value}

    assert (await desk.made("ticker/create", match(options=options)))["options"] == options


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind, fields in MODIFICATIONS.items() for name in fields])
async def test_a_field_of_a_modification(desk, kind, name):
    """Right it is one step; missing, where it is required, or of a wrong kind it is 422 with its path."""
    game = await desk.made("ticker/create", news(template_id="soccer"))
    fields = MODIFICATIONS[kind]
    without = {key: value for key, value in fields.items() if key != name}
    wrong = [{**fields, name: 7}, {**fields, name: [None]}]

    for bad in wrong if (kind, name) in OPTIONAL else [without, {**fields, name: None}, *wrong]:
        status, field = refused(await desk.modify(game, change(kind, **bad)))
        assert (status, field.startswith(f"modifications.0.{name}")) == (422, True), bad
    assert good(await desk.modify(game, change(kind, **fields)))["version"] == 2


async def test_the_openapi_document_names_every_parameter(server):
    """Queries and headers of the reference stand in the document, with their defaults."""
    paths = (await server.http.get("/openapi.json")).json()["paths"]
    promised, checked = parameters(TEXT), 0
    for name, (method, path, _) in operations(TEXT).items():
        if name.partition(".")[0] in {"player", "team", "tournament"} or name == "ticker.search":
            given = {each["name"]: each for each in paths[path][method.lower()].get("parameters", [])}
            assert set(given) == set(promised.get(name, {})), name
            for field, row in promised.get(name, {}).items():
                default = given[field]["schema"].get("default")
                assert (None if default is None else str(default).lower()) == row.default
                assert given[field]["required"] == row.required
                checked += 1
    assert checked > 25
