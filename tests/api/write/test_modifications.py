"""Modifications of a liveblog: nine kinds, in order, all or nothing, one step; and who may make them."""

import sys
import threading
from collections import Counter
from contextlib import contextmanager
from functools import partial

import pytest

from store.masterdata.declarations import Declaration, declare
from tests.api.conftest import declared_database, open_store, serving
from tests.kit import matchday
from tests.kit.desk import BOARD, META, WRITE, Desk, change, good, match, news, permission, refused, team
from tests.kit.event_desk import DESK
from tests.kit.sqlite import copied_url

ORGANIZATION = matchday.ORGANIZATION
STATE = "Svc::Model::GameStateInfo::"
PERMISSION = "Svc::Model::SharedPermission"
SCORE = {"_type": "Svc::Model::ScoreInfo::TeamGameScoreInfo"}
OWNERS = (
    change("DeleteGame", local_status="100"),
    change("DeleteGame", local_status=60),
    change("UpsertPermission", permission=permission(matchday.OTHER)),
    change("DeletePermission", refid=matchday.OTHER),
)


@pytest.fixture
async def game(desk):
    return await desk.made("ticker/create", match())


@pytest.fixture
async def shared(desk, stranger):
    """A liveblog in which another organization may write."""
    game = await desk.made("ticker/create", match(permissions=[permission(matchday.OTHER)]))
    assert good(await stranger.get("ticker/show", local_id=game["local_id"]))["version"] == 1
    return game


@contextmanager
def calls_of_all_threads():
    """Counts the calls of Python functions in all threads that begin meanwhile and in this one; gives what reads and resets."""
    seen = Counter()

    def note(_, kind, __):
        seen["calls"] += kind == "call"

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        yield lambda: seen.pop("calls", 0)
    finally:
        threading.setprofile(None)
        sys.setprofile(None)


async def test_a_change_costs_what_its_answer_costs_to_read(tmp_path):
    """However many posts the liveblog has, a modification makes at most a tenth more calls than `show` of it."""
    posts = tuple(matchday.event(f"e{each}", matchday.KICK_OFF + each) for each in range(400))
    read = {"local_id": "gderby"}
    changed = {**read, "modifications": [change("UpdateGameScoreInfo", score_info={**SCORE, "home_score": 2})]}
    with calls_of_all_threads() as calls:
        store = await open_store(copied_url(tmp_path / "many.db", declared_database))
        async with serving(store, client_per_second=0, public_per_second=0) as server:
            await server.add(matchday.Liveblog(document=matchday.document(), events=posts))
            counted = {"show": [], "modify": []}
            for _ in range(2):  # the first ones fill caches
                calls()
                shown = await server.http.get(f"{WRITE}/ticker/show.json", params=read, auth=DESK)
                counted["show"].append(calls())
                made = await server.http.post(f"{WRITE}/ticker/post_modifications.json", json=changed, auth=DESK)
                counted["modify"].append(calls())
        await store.close()

    assert len(shown.json()["events"]) == len(made.json()["events"]) == len(posts)
    assert counted["modify"][1] <= 1.1 * counted["show"][1], counted


async def test_all_nine_kinds_are_one_step(server, desk, game):
    """Each changes what it says, in order, and the version steps once."""
    gold = Declaration(owner_id=ORGANIZATION, kind="pricing", id="gold", fields={"name": "Gold"})
    await server.store.write(partial(declare, declared=[gold]))
    board = {"_type": f"{BOARD}TeamGameScoreboard", "score": {"_type": f"{BOARD}ScoreboardScore", "home_score": "0"}}
    state = {"_type": f"{STATE}TimeBasedGameStateInfo", "gamestate": 1, "recurrence": 1, "is_break": False}
    options = {"_type": "Svc::Model::Options::BasicGameOptions", "anything": [1]}
    permitted = permission(matchday.OTHER)
    changed = good(
        await desk.modify(
            game,
            change("UpdateGameMetaInfo", sportstype="tennis", meta_info={
                "_type": f"{META}TeamGameMetaInfo", "title": "The derby", "allow_comments": True,
            }),
            change("UpdateGameMarketplaceInfo", marketplace_info={"pricing": {"_id": "gold"}, "detail": "All"}),
            change("UpsertScoreboard", scoreboard=board),
            change("UpdateGameState", state_info=state),
            change("UpdateGameOptions", options=options),
            change("UpdateGameScoreInfo", score_info={**SCORE, "home_score": 2, "away_score": 1}),
            change("UpsertPermission", permission=permitted),
            change("UpsertPermission", permission=permission("reader", "Client")),
            change("DeletePermission", refid="reader"),
            change("DeleteGame", local_status="60"),
        )
    )  # fmt: skip

    assert changed["version"] == 2
    assert changed["sportstype"] == changed["template_id"] == "tennis"
    assert changed["meta_info"]["title"] == "The derby"
    assert changed["meta_info"]["home_team"]["name"] == "SV Hafenstadt"
    assert changed["marketplace_info"]["detail"] == "All"
    assert (changed["scoreboard"]["score"]["home_score"], changed["scoreboard"]["score"]["away_score"]) == ("2", "1")
    assert (changed["state_info"], changed["options"]) == (state, options)
    assert changed["permissions"] == [{"_type": PERMISSION, **permitted}]
    assert changed["local_status"] == 60
    assert changed == await desk.read("ticker/show", local_id=game["local_id"])


async def test_all_or_nothing(desk, game):
    """One bad modification, and none has happened; the path names it."""
    good_one = change("UpdateGameScoreInfo", score_info={**SCORE, "home_score": 9})
    for bad, field in (
        (change("Unknown"), "modifications.1._type"),
        (change("UpdateGameState", state_info={}), "modifications.1.state_info._type"),
        (change("UpsertScoreboard", scoreboard={"_type": f"{BOARD}TeamGameScoreboard", "home_team": {"_id": "no"}}),
         "modifications.1.scoreboard.home_team._id"),
        (change("UpdateGameMarketplaceInfo", marketplace_info={"pricing": {"_id": "no"}}),
         "modifications.1.marketplace_info.pricing._id"),
        (change("DeleteGame", local_status=7), "modifications.1.local_status"),
        ("text", "modifications.1._type"),
    ):  # fmt: skip
        assert refused(await desk.modify(game, good_one, bad)) == (422, field)

    assert await desk.read("ticker/show", local_id=game["local_id"]) == game


async def test_the_score_alone_keeps_the_rest_of_the_board(desk, game):
    """Numbers become texts; what is absent stays, null clears, periods are untouched."""
    period = {"_type": f"{BOARD}ScoreboardScore", "home_score": "1", "away_score": "0", "title": "1"}
    board = {"_type": f"{BOARD}SetBasedGameScoreboard", "scores": [period], "serving": "home"}
    await desk.modify(game, change("UpsertScoreboard", scoreboard=board))

    first = good(await desk.modify(game, change("UpdateGameScoreInfo", score_info={"home_score": 1, "away_score": 0})))
    second = good(await desk.modify(game, change("UpdateGameScoreInfo", score_info={"home_score": None})))

    assert first["scoreboard"]["score"] == {"_type": f"{BOARD}ScoreboardScore", "home_score": "1", "away_score": "0"}
    assert first["scoreboard"]["scores"] == [period]
    assert second["scoreboard"]["score"]["home_score"] == ""
    assert second["scoreboard"]["score"]["away_score"] == "0"


async def test_meta_info_keeps_what_is_absent_and_clears_what_is_null(desk):
    """Update semantics; the title is the teams' where nobody has chosen one."""
    game = await desk.made("ticker/create", match(locale="de"))
    meta = {"_type": f"{META}TeamGameMetaInfo"}

    async def after(**fields):
        wanted = change("UpdateGameMetaInfo", meta_info={**meta, **fields})
        return good(await desk.modify(game, wanted))["meta_info"]

    assert (await after(starts_at=1_789_995_600, editorial_publishing=True))["title"] == "SV Hafenstadt – AV Bergheim"
    assert (await after(away_team={"name": "FC Anderswo"}))["title"] == "SV Hafenstadt – FC Anderswo"
    named = await after(title="Finale", starts_at=None)
    assert named["title"] == "Finale"
    assert "starts_at" not in named
    assert named["editorial_publishing"] is True
    assert (await after(home_team={"name": "VfB Irgendwo"}))["title"] == "Finale"
    assert (await after(title=""))["title"] == "VfB Irgendwo – FC Anderswo"


async def test_names_mean_the_teams_that_are_there(desk, game):
    """Sending a team's name again creates no second team."""
    home = {"name": "SV Hafenstadt"}
    board = change("UpsertScoreboard", scoreboard={"_type": f"{BOARD}TeamGameScoreboard", "home_team": home})
    changed = good(await desk.modify(game, board))

    assert changed["scoreboard"]["home_team"]["_id"] == game["meta_info"]["home_team"]["_id"]
    assert (await desk.read("team/index"))["total"] == 2


async def test_deletion_is_final(desk, game):
    """100 deletes; then the liveblog is 404 everywhere, and nothing may follow in the same request."""
    late = await desk.modify(game, change("DeleteGame", local_status=100), change("DeleteGame", local_status=0))
    assert refused(late) == (422, "modifications.1")

    gone = good(await desk.modify(game, change("DeleteGame", local_status="100")))

    assert (gone["local_status"], gone["version"]) == (100, 2)
    assert refused(await desk.get("ticker/show", local_id=game["local_id"])) == (404, "local_id")
    assert refused(await desk.modify(game, change("DeleteGame", local_status=0))) == (404, "local_id")
    assert (await desk.read("ticker/search"))["total"] == 0


async def test_two_names_must_agree(desk, game):
    """`local_id` and `ticker_id` of one liveblog are fine, of two are malformed."""
    other = await desk.made("ticker/create", news())
    names = {"local_id": game["local_id"], "modifications": []}

    assert good(await desk.post("ticker/post_modifications", {**names, "ticker_id": game["ticker_id"]}))
    response = await desk.post("ticker/post_modifications", {**names, "ticker_id": other["ticker_id"]})
    assert refused(response) == (400, "local_id")


async def test_if_match_stops_the_slower_one(desk, game):
    """The version that a client has seen must still be the version."""
    score = change("UpdateGameScoreInfo", score_info={"home_score": 1})

    assert good(await desk.modify(game, score, If_Match="1"))["version"] == 2
    assert refused(await desk.modify(game, score, If_Match='"1"')) == (409, "If-Match")
    assert refused(await desk.modify(game, score, If_Match="x")) == (400, "If-Match")
    assert good(await desk.modify(game, score, If_Match="*"))["version"] == 3


async def test_a_shared_permission_writes_but_does_not_own(desk, stranger, shared):
    """`w` changes the score; deleting, granting and revoking are the owner's, and nothing of the request happens."""
    score = change("UpdateGameScoreInfo", score_info={"home_score": 1})

    assert good(await stranger.modify(shared, score))["version"] == 2
    for index, forbidden in enumerate(OWNERS):
        assert refused(await stranger.modify(shared, score, forbidden)) == (403, "modifications.1._type"), index
    assert (await desk.read("ticker/show", local_id=shared["local_id"]))["version"] == 2


async def test_a_shared_permission_creates_no_master_data_of_the_owner(desk, stranger, shared):
    """A guest names teams that are there, or its own; new ones would be the owner's."""
    board = {"_type": f"{BOARD}TeamGameScoreboard", "home_team": {"name": "New"}}
    refusal = await stranger.modify(shared, change("UpsertScoreboard", scoreboard=board))
    own = await stranger.made("team/create", team(owner_id=matchday.OTHER))
    board["home_team"] = {"_id": own["_id"]}

    assert refused(refusal) == (403, "modifications.0.scoreboard.home_team")
    assert good(await stranger.modify(shared, change("UpsertScoreboard", scoreboard=board)))["version"] == 2
    assert (await desk.read("team/index"))["total"] == 2


async def test_a_removed_permission_ends_at_once(desk, stranger, shared):
    """The next request finds no liveblog, as if there were none."""
    await desk.modify(shared, change("DeletePermission", refid=matchday.OTHER))
    score = change("UpdateGameScoreInfo", score_info={"home_score": 1})

    assert refused(await stranger.modify(shared, score)) == (404, "local_id")
    assert refused(await stranger.get("ticker/show", local_id=shared["local_id"])) == (404, "local_id")


async def test_a_single_client_can_be_granted(server, desk, game):
    """`reftype` Client names one client, and no other client of its organization."""
    permitted = permission("stranger", "Client")
    good(await desk.modify(game, change("UpsertPermission", permission=permitted)))
    score = change("UpdateGameScoreInfo", score_info={"home_score": 1})

    assert good(await Desk(server.http, "stranger").modify(game, score))["version"] == 3
    good(await desk.modify(game, change("DeletePermission", refid="stranger")))
    assert refused(await Desk(server.http, "stranger").modify(game, score)) == (404, "local_id")
