"""Follow rules over a weekend: each match that should has its liveblog, and none has two."""

from __future__ import annotations

import asyncio
import threading
from contextlib import AsyncExitStack
from dataclasses import replace
from functools import partial

import pytest
from sqlalchemy import select, text

from config.organizations import Liveblog
from ingest.sync.declared_matches import DeclaredMatches
from ingest.sync.import_match import Imported
from mapping.documents.import_options import ImportOptions
from mapping.documents.scalars import LocalStatus
from mapping.follow.rule import FollowRule
from mapping.match.fixture import FixtureStatus
from store.database import Store
from store.engine.liveblog_records import Change, NewGame
from store.following.follow_rows import save_follow
from store.liveblogs.liveblogs import insert_game, record
from store.tables import attachments, games
from tests.kit.opening import store_at
from tests.kit.scripted import OWNER, Clock
from tests.simulation.weekend import HOUR, match, move, weekend
from tests.simulation.weekend_seeds import drawn

BEGIN = 1_800_000_000
GERMAN = ImportOptions(sport="", locale="de", auto_post=True)
LEAGUE = FollowRule(
    key="league", organization_id=OWNER, provider="heim", competition="12", terms=GERMAN, lead=2.0 * HOUR,
    editorial_publishing=False, most_a_day=40,
)  # fmt: skip
CLUB = replace(LEAGUE, key="club", competition=None, team="1102", lead=2.5 * HOUR)
ENGLISH = replace(LEAGUE, key="english", terms=ImportOptions(sport="", locale="en"))


async def test_a_liveblog_is_created_within_a_minute_of_its_lead_once_a_language():
    """Of two rules about one match the one whose moment comes first makes it; another language has another one."""
    with weekend([LEAGUE, CLUB, ENGLISH], BEGIN) as days:
        days.league.matches = {f"5{n}": match(f"5{n}", BEGIN + (n + 3) * HOUR) for n in range(4)}
        await days.pass_time(BEGIN + 10 * HOUR)
        made = await days.liveblogs()
    assert sorted((ident, locale) for ident, locale, *_ in made) == [
        (f"5{n}", locale) for n in range(4) for locale in ("de", "en")
    ]
    assert {rule for *_, rule in made} == {"league", "english", "club"}
    for ident, _, at, rule in made:
        assert 0 <= at - (BEGIN + (int(ident) - 49 - 0.5 * (rule == "club")) * HOUR) <= 60
        assert rule != "club" or ident == "51"
    assert days.league.requests <= 300


@pytest.mark.parametrize(
    ("before", "after", "made"),
    [
        ({}, {"kickoff": BEGIN + 9 * HOUR}, 7 * HOUR),
        ({}, {"status": FixtureStatus.POSTPONED}, None),
        ({}, {"status": FixtureStatus.CANCELLED}, None),
        ({"status": FixtureStatus.POSTPONED}, {"status": FixtureStatus.SCHEDULED}, 3 * HOUR),
        ({"home": None}, {"home": match("50", 0).home}, 3 * HOUR),
        ({"kickoff": None}, {"kickoff": BEGIN + 5 * HOUR}, 3 * HOUR),
        ({"status": None, "status_word": "?!"}, {"status": FixtureStatus.SCHEDULED, "status_word": None}, 3 * HOUR),
        ({}, {"kickoff": BEGIN + HOUR + 600}, HOUR),
        ({}, {"kickoff": BEGIN - 5 * HOUR}, None),
        ({}, {"status": FixtureStatus.FINISHED}, None),
    ],
)  # fmt: skip
async def test_what_changes_before_the_creation_changes_the_creation(before, after, made):
    """An hour before it is due the list says something else; within ten minutes of that, or of the lead, the liveblog is there."""
    with weekend([LEAGUE], BEGIN) as days:
        days.league.matches = {"50": replace(match("50", BEGIN + 5 * HOUR), **before)}
        await days.pass_time(BEGIN + HOUR)
        move(days.league, "50", **after)
        await days.pass_time(BEGIN + 12 * HOUR)
        found = [at for _, _, at, _ in await days.liveblogs()]
    if made is None:
        assert found == []
    else:
        assert len(found) == 1
        assert 0 <= found[0] - (BEGIN + made) <= 600


async def test_a_rules_liveblog_has_its_labels():
    with weekend([replace(LEAGUE, tags=("Liga", "Derby"))], BEGIN) as days:
        days.league.matches = {"50": match("50", BEGIN + HOUR)}
        await days.pass_time(BEGIN + 60)
        game = await days.process.store.read(lambda conn: conn.execute(select(games.c.doc)).one())
    assert game.doc["tags"] == ["Liga", "Derby"]


async def test_what_fails_is_tried_until_the_match_is_over_and_is_an_alarm_close_to_kick_off():
    with weekend([LEAGUE], BEGIN) as days:
        days.league.matches = {"50": match("50", BEGIN + 3 * HOUR)}
        days.league.down = {"50"}
        await days.pass_time(BEGIN + 2 * HOUR)
        early = await days.looks.alarms("rule_fails")
        await days.pass_time(BEGIN + 3 * HOUR - 800)
        (alarm,) = await days.looks.alarms("rule_fails")
        days.league.down = set()
        await days.pass_time(BEGIN + 3 * HOUR - 500)
        ((_, _, at, _),) = await days.liveblogs()
        after = await days.looks.alarms("rule_fails")
    assert (early, after) == ([], [])
    assert (alarm.kind, alarm.details["cause"]) == ("rule_fails", "the match is away")
    assert alarm.details["teams"] == "Team 1100 – Team 1101"
    assert at - (BEGIN + 3 * HOUR - 800) <= 300


async def test_a_list_that_fails_or_loses_half_of_its_matches_changes_nothing_and_is_an_alarm():
    with weekend([LEAGUE], BEGIN) as days:
        days.league.matches = {f"5{n}": match(f"5{n}", BEGIN + 4 * HOUR) for n in range(6)}
        await days.pass_time(BEGIN + 60)
        days.league.lost = {"50", "51", "52", "53"}
        await days.pass_time(BEGIN + HOUR)
        (alarm,) = await days.looks.alarms("list_lost")
        days.league.list_fails = True
        await days.pass_time(BEGIN + 3 * HOUR)
        made = await days.liveblogs()
    assert (alarm.kind, "of 6 matches" in alarm.message) == ("list_lost", True)
    assert len(made) == 6


async def test_a_process_that_leads_again_after_hours_believes_no_list_of_its_own_any_more():
    """Others have led meanwhile, and know what it does not."""
    with weekend([LEAGUE], BEGIN) as days:
        days.league.matches = {"50": match("50", BEGIN + 4 * HOUR)}
        await days.pass_time(BEGIN + 60)
        days.clock.now += 3 * HOUR
        days.league.list_fails = True
        await days.pass_time(BEGIN + 4 * HOUR)
        assert await days.liveblogs() == []
        assert len(await days.looks.alarms("list_lost")) == 1


async def test_a_liveblog_that_somebody_deleted_or_took_off_its_match_is_not_made_again():
    with weekend([LEAGUE], BEGIN) as days:
        days.league.matches = {"50": match("50", BEGIN + 3 * HOUR)}
        await days.pass_time(BEGIN + HOUR + 60)
        assert len(await days.liveblogs()) == 1
        days.start()
        (planned,) = await days.plans.plan(days=1)
        await days.pass_time(BEGIN + 3 * HOUR)
    assert (planned.outlook, planned.why) == ("made", "the rule league")
    assert len(await days.liveblogs()) == 1


async def test_a_match_that_a_call_or_the_configuration_has_made_is_covered():
    with weekend([LEAGUE], BEGIN) as days:
        days.league.matches = {f"5{n}": match(f"5{n}", BEGIN + 3 * HOUR) for n in range(4)}
        entries = [{"match_id": "51"}, {"phase_id": "53", "lead": 60.0}, {"overall_id": "lost"}]
        common = {"organization": OWNER, "provider": "heim", "locale": "de"}
        days.declared = DeclaredMatches([Liveblog(key=f"e{n}", **common, **each) for n, each in enumerate(entries)])
        days.start()
        await days.process.create(selector_id="50", locale="de")
        await days.pass_time(BEGIN + 2 * HOUR)
        planned = await days.plans.plan(days=1)
        made = await days.liveblogs()
    assert [(ident, rule) for ident, _, _, rule in made] == [("50", ""), ("52", "league")]
    assert [each.outlook.value for each in planned] == ["covered", "covered", "made", "covered"]
    assert planned[3].word == "[[liveblogs]] e1"


async def test_a_liveblog_by_hand_about_both_teams_that_day_covers_their_match():
    """Its teams come from master data, which a provider has brought; of its start somebody has said the day alone."""
    with weekend([LEAGUE], BEGIN) as days:
        days.league.matches = {"50": match("50", BEGIN + 8 * HOUR), "51": match("51", BEGIN + 8 * HOUR)}
        for each in days.league.matches:
            english = await days.process.game(await days.process.create(selector_id=each, locale="en"))
        meta = {**english.document["meta_info"], "starts_at": BEGIN - 8 * HOUR}
        by_hand = NewGame(
            id="f" * 24, local_id="g" * 21, organization_id=OWNER, sportstype="soccer", template_id="soccer",
            document={"locale": "de", "meta_info": meta},
        )  # fmt: skip
        await days.process.store.write(partial(insert_game, game=by_hand))
        await days.pass_time(BEGIN + 8 * HOUR)
        made = await days.liveblogs()
    assert [(ident, rule) for ident, locale, _, rule in made if locale == "de"] == [("50", "league")]


@pytest.mark.parametrize("before", ["nothing", "moved", "deleted"])
async def test_a_match_under_a_new_id_keeps_its_liveblog_which_follows_the_new_id(before):
    """Also where its kick-off has moved, of which the sync knows; one that a person has deleted stays deleted, and is no alarm."""
    kickoff = BEGIN + 3 * HOUR
    with weekend([LEAGUE], BEGIN) as days:
        days.league.matches = {"50": match("50", kickoff)}
        await days.pass_time(BEGIN + HOUR + 60)
        (made,) = await days.process.store.read(lambda conn: conn.execute(select(attachments)).all())
        if before == "moved":
            kickoff += 2 * HOUR
            await days.process.store.write(partial(save_follow, follow_id=made.follow_id, kickoff=kickoff))
        if before == "deleted":
            deleted = Change(local_status=LocalStatus.DELETED)
            await days.process.store.write(lambda unit: record(unit, made.game_id, deleted))
        days.league.matches = {"57": match("57", kickoff, home=1100, away=1101)}
        await days.pass_time(BEGIN + 3 * HOUR)
        found = await days.liveblogs()
        (planned,) = await days.plans.plan(days=1)
        assert await days.looks.alarms("rule_fails") == []
    assert [(ident, rule) for ident, _, _, rule in found] == [("50" if before == "deleted" else "57", "league")]
    assert planned.outlook == "made"


async def test_a_crash_anywhere_makes_no_second_liveblog():
    """At each step of a creation the process dies once."""
    for fuse in range(12):
        with weekend([LEAGUE, ENGLISH], BEGIN) as days:
            days.league.matches = {f"5{n}": match(f"5{n}", BEGIN + 3 * HOUR) for n in range(2)}
            await days.pass_time(BEGIN + HOUR - 60)
            days.process.crashing.fuse = fuse
            await days.pass_time(BEGIN + 3 * HOUR)
            made = await days.liveblogs()
        assert days.crashes == 1
        assert sorted((ident, locale) for ident, locale, *_ in made) == [
            ("50", "de"),
            ("50", "en"),
            ("51", "de"),
            ("51", "en"),
        ]


@pytest.mark.parametrize("called", ["50", "58"])
async def test_a_call_while_a_rule_fetches_its_match_makes_the_only_liveblog(called):
    """Under the same id, or under one that the list does not hold any more."""
    with weekend([LEAGUE], BEGIN) as days:
        days.league.matches = {each: match(each, BEGIN + HOUR, home=1, away=2) for each in ("50", "58")}
        days.league.lost = {"58"}
        days.league.meanwhile = lambda _: days.process.create(selector_id=called, locale="de")
        await days.pass_time(BEGIN + HOUR)
        made = await days.liveblogs()
        alarms = await days.looks.alarms("rule_fails")
    assert [(ident, rule) for ident, _, _, rule in made] == [(called, "")]
    assert alarms == []


class HeldStore:
    """A store of a process whose unit that creates a liveblog stays open until `ended`, or until somebody waits for a lock."""

    def __init__(self, store: Store) -> None:
        self.store, self.read = store, store.read
        self.entered, self.ended = threading.Event(), threading.Event()

    async def write(self, work):
        return await self.store.write(lambda unit: self._held(unit, work(unit)))

    def _held(self, unit, result):
        waiting = text("SELECT count(*) FROM pg_locks WHERE NOT granted")
        if isinstance(result, Imported):
            self.entered.set()
            while not self.ended.wait(0.01) and not unit.conn.execute(waiting).scalar():
                pass
        return result


@pytest.mark.parametrize("called", ["50", "58"])
async def test_of_a_rule_and_a_call_in_the_very_same_moment_the_call_alone_makes_a_liveblog(called, two_stores):
    """In two processes, the call's unit not committed when the rule's begins; the match is followed in English already."""
    with weekend([LEAGUE], BEGIN, *two_stores) as days:
        days.league.matches = {each: match(each, BEGIN + HOUR, home=1, away=2) for each in ("50", "58")}
        days.league.lost = {"58"}
        caller = days.workers[1].process
        for each in days.league.matches:
            await caller.create(selector_id=each, locale="en")
        held = caller.crashing.store = HeldStore(two_stores[1])
        calling = asyncio.create_task(caller.create(selector_id=called, locale="de"))
        await asyncio.to_thread(held.entered.wait)
        await days.looks.look()
        held.ended.set()
        await calling
        made = await days.liveblogs()
    assert [(ident, rule) for ident, locale, _, rule in made if locale == "de"] == [(called, "")]


@pytest.mark.parametrize(
    "seeds",
    [
        *(pytest.param(range(first, first + 4), marks=pytest.mark.proof) for first in range(0, 20, 4)),
        pytest.param(range(20, 520), marks=pytest.mark.soak),
    ],
)
async def test_a_weekend_that_a_seed_draws_keeps_what_rules_promise(seeds):
    """Lists fail and lose matches, matches move, are called off and renamed, processes die, people call and delete."""
    for seed in seeds:
        played = await drawn(seed)
        assert played.broken == [], played.report()


@pytest.mark.parametrize(
    "seed", [pytest.param(seed, marks=pytest.mark.proof if seed < 2 else pytest.mark.soak) for seed in range(32)]
)
async def test_three_processes_keep_it_too_where_another_one_leads_after_each_crash(seed, postgres_url):
    clock = Clock()
    async with AsyncExitStack() as opened:
        stores = [await store_at(postgres_url, clock=lambda: clock.now) for _ in range(3)]
        for each in stores:
            opened.push_async_callback(each.close)
        played = await drawn(seed, *stores, clock=clock)
    assert played.broken == [], played.report()
