"""A match and its liveblogs for longer than the match: ids that are given twice, endings, moves to another endpoint."""

import json
from functools import partial
from typing import Any

import pytest
from sqlalchemy import text, update

from config.organizations import Liveblog
from ingest.kit.quarantine import Quarantine
from ingest.sync.declared_liveblogs import Declared
from ingest.sync.provider_source import ProviderSource, rehome
from mapping.errors import MatchUnknown
from providers.base import Answer, Fetched, Outcome
from providers.heim.adapter import HEIM
from store.engine.liveblog_records import Change
from store.following import closing, follow_rows, sources
from store.following.sources import NamedLiveblog, change_terms, lock_with_match
from store.liveblogs import liveblogs
from store.tables import attachments, beliefs
from tests.kit.corrected_match import FIRST, ONE, SECOND, START, TWO, begun, edit, goals, score, snapshot
from tests.kit.scripted import OWNER, Bodies, Crash, Process, Scripted, open_store
from tests.kit.sqlite import migrated_url
from tests.providers.heim.feed import AWAY, HOME, MATCH_ID, match, results, row

OTHER = "5f0c1de2a1b2c3d4e5f60719"
WEEKS = 14 * 86_400
FINISHED = {"finished": "yes", "current_period": "game-end"}
YELLOW = row(21, "card/yellow", 20, "away", 5)
YELLOW_RED = row(22, "card/yellow-red", 70, "away", 5)


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.proof)])
async def store(request, tmp_path):
    url = (
        migrated_url(tmp_path / "identity.db") if request.param == "sqlite" else request.getfixturevalue("postgres_url")
    )
    opened = await open_store(url)
    yield opened
    await opened.close()


def over(*rows: dict[str, Any], score: str = "2:0", **changes: Any) -> Bodies:
    """The match is over."""
    body = {"match": match(match_result=results(p0=score), **{**FINISHED, **changes})}
    return {"match": json.dumps(body).encode(), "match-event": json.dumps([START, *rows]).encode(), "liveticker": b"[]"}


def another(**changes: Any) -> Bodies:
    """Another match under the same id: other teams, on another day."""
    teams = {"home": {**HOME, "id": "601", "name": "TSV Berg"}, "away": {**AWAY, "id": "602", "name": "SC Tal"}}
    return snapshot(
        "0:1",
        START,
        row(31, "goal/head", 5, "away", 9, content="0:1", team=None),
        match_date="01.07.2025",
        **teams,
        **changes,
    )


async def finish(process: Process, bodies: Bodies) -> None:
    """Poll the end, let days pass, and let the window after the end close."""
    await process.poll(bodies)
    await process.settle()
    process.clock.now += 3 * 86_400
    await process.poll()
    await process.followers.stop()
    assert () == process.matches


async def public(process: Process, ticker_id: str) -> tuple[Any, ...]:
    """All that the liveblog says."""
    game = await process.game(ticker_id)
    return (
        game.version,
        game.document,
        [(event.local_id, event.document) for event in await process.events(ticker_id, (0, 60))],
    )


@pytest.mark.parametrize(
    "next_match", [another(), snapshot("0:0", START, match_date="05.07.2025")], ids=["other teams", "replayed"]
)
async def test_a_finished_liveblog_is_not_touched_by_another_match_of_its_id(store, next_match):
    """The id is given again, or the same teams play once more weeks later: each liveblog has its own match."""
    process, old = await begun(store, TWO)
    await finish(process, over(FIRST, SECOND))
    before = await public(process, old)
    process.clock.now += WEEKS
    process.adapter.bodies = next_match
    new = await process.create()
    await process.poll(next_match)
    await process.settle()
    later = await public(process, new)
    await process.restart()
    await process.settle()

    assert before == await public(process, old)
    assert later == await public(process, new)
    assert [] == [key for key in await process.posted(new) if key in {"incident:11", "incident:12"}]
    assert 2 == len(await store.read(partial(follow_rows.follows, open_only=False))), "each is followed by itself"


async def test_a_new_liveblog_of_a_finished_match_opens_no_older_one(store):
    """Somebody asks for the same match once more: a correction that comes then reaches the new liveblog alone."""
    process, old = await begun(store, TWO)
    await finish(process, over(FIRST, SECOND))
    before = await public(process, old)
    new = await process.create()
    corrected = over(FIRST, {**SECOND, "minute": "31"})
    await process.poll(corrected)
    await process.settle()

    assert before == await public(process, old)
    assert "31'" == (await process.posted(new))["incident:12"]["sport_event"]["time_of_play"]


async def test_a_setting_opens_the_liveblog_that_it_is_of_and_no_other(store):
    """Two liveblogs are finished; goals are excluded in one of them."""
    process, one = await begun(store, TWO)
    two = await process.create()
    await finish(process, over(FIRST, SECOND))
    before = await public(process, two)

    def set_terms(unit: Any) -> None:
        game, attachment = lock_with_match(unit, NamedLiveblog(one, OWNER))
        terms = follow_rows.terms_of(attachment)
        change_terms(
            unit, game, attachment, type(terms)(**{**terms.as_dict(), "exclude_events": frozenset({"soccer.goal"})})
        )

    await store.write(set_terms)
    await process.restart()
    await process.poll(over(FIRST, {**SECOND, "minute": "31"}))
    await process.settle()

    assert [] == await goals(process, one)
    assert before == await public(process, two)


async def test_a_liveblog_that_comes_back_to_its_match_is_not_doubled(store):
    """Taken off its match and put on it again: the same posts, the editor's deletion kept; one answer takes nothing back."""
    process, ticker_id = await begun(store, TWO)
    before = {key: row.local_id for key, row in (await process.ledger(ticker_id)).items()}
    await edit(process, ticker_id, "incident:11", local_status=100)
    await take_off(process, ticker_id)
    process.adapter.bodies = snapshot("1:0", START, FIRST)
    assert ticker_id == await process.create(attach_to=ticker_id)
    assert ["incident:12"] == await goals(process, ticker_id)
    await process.restart()
    await process.poll(TWO)
    await process.settle()

    assert before == {key: row.local_id for key, row in (await process.ledger(ticker_id)).items()}
    assert ["incident:12"] == await goals(process, ticker_id)
    assert len(before) - 1 == len(await process.events(ticker_id, (0, 60, 100)))


NEW_ID = "9000099"
KILLS = range(5)
"""The instants at which a process is killed: before, in and after each read and write of an attachment, and never."""


def under(match_id: str, *rows: dict[str, Any], **changes: Any) -> Bodies:
    """The running match as the provider's list of this id has it: the rows of each list have ids of their own."""
    base = 1000 if match_id == NEW_ID else 0
    numbered = [{**each, "id": str(int(each["id"]) + base)} for each in rows]
    goals_of = sum(each["action"] == "goal" for each in rows)
    return snapshot(f"{goals_of}:0", *numbered, id=match_id, **changes)


async def exchange(process: Process, ticker_id: str, match_id: str, bodies: Bodies, *, kill: int | None = None) -> None:
    """Attach the match of this id, with a process that is killed at that instant and tried again by its client."""
    process.match_id, process.adapter.bodies, process.crashing.fuse = match_id, bodies, kill
    try:
        await process.create(attach_to=ticker_id)
    except Crash:
        await process.restart()
        await process.create(attach_to=ticker_id)
    process.crashing.fuse = None


async def take_off(process: Process, ticker_id: str) -> None:
    def work(unit: Any) -> None:
        sources.detach(unit, follow_rows.attachment(unit.conn, ticker_id))

    await process.store.write(work)


async def said(process: Process, ticker_id: str) -> list[tuple[Any, ...]]:
    """Every post that was ever there, drafts and deleted ones too, whatever its key."""
    events = await process.events(ticker_id, (0, 60, 100))
    return sorted((each.local_id, each.local_status, json.dumps(each.document)) for each in events)


@pytest.mark.parametrize("way", ["attached", "taken off first", "followed there already"])
async def test_a_match_that_gets_a_new_id_is_the_same_match(store, way):
    """The provider rebuilds its list again and again, and processes are killed: the posts stay, with what editors did."""
    rows = (START, FIRST, SECOND, YELLOW)
    process, ticker_id = await begun(store, under(MATCH_ID, *rows))
    await edit(process, ticker_id, "incident:11", headline="What a header")
    await edit(process, ticker_id, "incident:21", local_status=100)
    await process.settle()
    before = await said(process, ticker_id)
    for kill in KILLS:
        match_id = (NEW_ID, MATCH_ID)[kill % 2]
        if way == "taken off first":
            await take_off(process, ticker_id)
        elif way == "followed there already" and kill == 0:
            process.match_id, process.adapter.bodies = match_id, under(match_id, *rows)
            await process.create()
        await exchange(process, ticker_id, match_id, under(match_id, *rows), kill=kill)
        assert before == await said(process, ticker_id), kill
        await process.settle(within=50)
        assert before == await said(process, ticker_id), kill
    goes_on = under(match_id, *rows, row(13, "goal/head", 60, "home", 9, content="3:0"))
    await process.poll(goes_on)
    await process.settle()

    assert len(before) + 1 == len(await said(process, ticker_id))
    assert "3:0" == await score(process, ticker_id)


async def declare(process: Process, match_id: str, bodies: Bodies) -> str:
    """A start whose configuration declares the liveblog with this match; gives its `ticker_id`."""
    process.adapter.bodies = bodies
    await process.restart()
    entry = Liveblog(key="derby", organization=OWNER, provider="heim", match_id=match_id, include_text_content=True)
    declared = Declared((entry,), process.store, process.importer, clock=lambda: 0.0, quarantine=Quarantine())
    await declared.tick()
    await process.settle(within=50)
    found = await process.store.read(partial(follow_rows.find_declared, organization_id=OWNER, key="derby"))
    return found.game_id


async def test_an_id_that_the_configuration_changes_is_another_id_of_the_match(store):
    """Its liveblog goes on under it; a match that a person has chosen stays, and another match needs another key."""
    rows, other_day = (START, FIRST, SECOND), {"match_date": "21.06.2025"}
    process = Process(store, MATCH_ID)
    ticker_id = await declare(process, MATCH_ID, under(MATCH_ID, *rows))
    before = await said(process, ticker_id)
    assert ticker_id == await declare(process, NEW_ID, under(NEW_ID, *rows))
    assert ticker_id == await declare(process, "9000077", under("9000077", START, **other_day))
    assert (NEW_ID, before) == (await match_of(process, ticker_id), await said(process, ticker_id))
    await exchange(process, ticker_id, "9000088", under("9000088", START, **other_day))
    assert ticker_id == await declare(process, NEW_ID, under(NEW_ID, *rows))
    assert "9000088" == await match_of(process, ticker_id)
    await store.write(lambda unit: liveblogs.record(unit, ticker_id, Change(local_status=100)))
    assert ticker_id == await declare(process, MATCH_ID, under(MATCH_ID, *rows))


async def match_of(process: Process, ticker_id: str) -> str:
    """The id of the match that the liveblog is on."""
    return (await process.store.read(lambda conn: follow_rows.attachment(conn, ticker_id))).match_id


async def moved(process: Process, owners: tuple[str, ...] = (OWNER,)) -> None:
    """The daemon comes back with another password: its organizations reach the provider by another endpoint."""
    await moved_to(process, Scripted(), owners)


async def moved_to(process: Process, adapter: Scripted, owners: tuple[str, ...]) -> None:
    """The daemon comes back with other credentials, with which its organizations reach the provider by this adapter."""
    adapter.bodies = process.adapter.bodies
    process.adapter = adapter
    found = {(owner, "heim"): ProviderSource(HEIM, adapter, text_content=True) for owner in owners}
    await rehome(process.store, found, Quarantine())
    await process.restart()


@pytest.mark.parametrize("way", ["another endpoint", "forgotten bodies", "unreadable belief", "lost belief"])
async def test_a_first_yellow_that_the_provider_drops_stays_whatever_becomes_of_the_belief(store, way):
    """The card is absorbed by the yellow-red; then the endpoint changes, or the match is closed, purged and opened again.

    It has a second liveblog.
    """
    process, ticker_id = await begun(store, snapshot("1:0", START, FIRST, YELLOW))
    await process.create()
    dropped = snapshot("1:0", START, FIRST, YELLOW_RED)
    await process.poll(dropped)
    await process.settle()
    assert "incident:21" in await process.posted(ticker_id)
    if way == "another endpoint":
        await moved(process)
    elif way == "forgotten bodies":
        await finish(process, over(FIRST, YELLOW_RED, score="1:0"))
        await forget(process)
        attachment = await store.read(lambda conn: follow_rows.attachment(conn, ticker_id))
        _, kept = await store.read(partial(follow_rows.packed_match, follow_id=attachment.follow_id))
        assert kept is not None, "a liveblog stands that was made of it"
        await store.write(partial(closing.open_again, game_id=ticker_id, follow_id=attachment.follow_id))
        await process.restart()
    else:
        lose = text("DELETE FROM beliefs") if way == "lost belief" else update(beliefs).values(belief=b"unreadable")
        await store.write(lambda unit: unit.conn.execute(lose))
        await process.restart()
    for number in range(4):  # each answer is new, so that it is compared with what was believed
        await process.poll(snapshot("1:0", START, FIRST, YELLOW_RED, match_number=str(number)))
    await process.settle()

    post = (await process.posted(ticker_id))["incident:21"]
    assert "Jan Muster5" in json.dumps(post)
    assert ["incident:11", "incident:21", "incident:22"] == await goals(process, ticker_id)
    (followed,) = await store.read(follow_rows.follows)
    _, healed = await store.read(partial(follow_rows.packed_match, follow_id=followed.id))
    assert "incident:21" in {each.key for each in follow_rows.unpacked_belief(healed).match.incidents}


@pytest.mark.parametrize("restarts", [False, True], ids=["followed", "restarted"])
async def test_a_match_flagged_without_a_result_goes_on_until_the_window_closes(store, restarts):
    """Then it is over, and its score is said to be no result."""
    process, ticker_id = await begun(store, snapshot("1:0", START, FIRST))
    flagged = json.loads(over(FIRST)["match"])
    flagged["match"]["match_result"] = []
    await process.poll({**over(FIRST), "match": json.dumps(flagged).encode()})
    waits = (await process.game(ticker_id)).document
    if restarts:
        await process.restart()
    process.clock.now += 3 * 86_400
    await process.poll()
    await process.followers.stop()
    ended = (await process.game(ticker_id)).document

    assert process.matches == ()
    assert [each["state_info"]["gamestate"] for each in (waits, ended)] == [1, 31]
    assert [each["scoreboard"]["score"]["title"] for each in (waits, ended)] == ["", "result not reported"]
    assert {each["scoreboard"]["score"]["home_score"] for each in (waits, ended)} == {"1"}


async def forget(process: Process) -> None:
    """The hourly purge."""
    closed = await process.store.read(closing.closed_with_bodies)
    assert closed
    await process.store.write(partial(closing.forget_bodies, follow_ids=closed))


async def shared(process: Process) -> str:
    """A liveblog of another organization on the same match."""
    source = ProviderSource(HEIM, process.adapter, text_content=True)
    process.importer._sources[OTHER, "heim"] = source
    return await process.create(organization_id=OTHER)


async def test_two_organizations_on_one_match_move_together_and_apart(store):
    """Both go on following it, with the posts that they have, at one endpoint or at two."""
    process, mine = await begun(store, TWO)
    theirs = await shared(process)
    await process.poll()
    before = [await process.posted(each) for each in (mine, theirs)]
    await moved(process, (OWNER, OTHER))
    await process.settle()
    assert before == [await process.posted(each) for each in (mine, theirs)]
    await moved(process, (OWNER,))
    for _ in range(3):
        await process.poll(ONE)

    assert ["incident:11"] == await goals(process, mine)
    assert before[1] == await process.posted(theirs), "its endpoint is another one, which nobody polls here"


async def configured(process: Process, *owners: str) -> None:
    """The daemon comes back with a configuration that names these organizations, all of them at one endpoint."""
    process.serves = lambda _endpoint, organization: organization in owners
    found = {(owner, "heim"): ProviderSource(HEIM, process.adapter, text_content=True) for owner in owners}
    await rehome(process.store, found, Quarantine())
    await process.restart()


async def killed_all_along(process: Process, bodies: Bodies) -> None:
    """The match is polled, the process killed at each of its reads and writes and started again."""
    for fuse in range(9):
        await process.poll(bodies, fuse=fuse)
    await process.settle()


@pytest.mark.parametrize("end", ["while it is followed", "after it is closed", "after its bodies are forgotten"])
async def test_an_organization_that_comes_back_is_served_what_it_has_missed(store, end):
    """While the configuration does not name it, it gets nothing of the endpoint of another one, which follows its match."""
    process, mine = await begun(store, ONE)
    theirs = await shared(process)
    await process.poll()
    before = await public(process, theirs)
    await configured(process, OWNER)
    await killed_all_along(process, over(FIRST, SECOND))
    if end != "while it is followed":
        await finish(process, over(FIRST, SECOND))
    if end == "after its bodies are forgotten":
        await forget(process)
    done = await public(process, mine)
    assert before == await public(process, theirs)
    await configured(process, OWNER, OTHER)
    await killed_all_along(process, over(FIRST, SECOND))

    assert ["incident:11", "incident:12"] == await goals(process, mine) == await goals(process, theirs)
    assert "2:0" == await score(process, theirs)
    assert 31 == (await process.game(theirs)).document["state_info"]["gamestate"]
    assert done == await public(process, mine)
    await finish(process, over(FIRST, SECOND))
    assert [] == await store.read(follow_rows.follows)


async def test_a_match_that_serves_nobody_is_not_polled(store):
    """The organization of its only liveblog is gone, another one has the endpoint; it is back, and gone once more."""
    process, _ = await begun(store, ONE)
    for owner, polled in ((OTHER, 0), (OWNER, 1), (OTHER, 0)):
        await configured(process, owner)
        assert polled == len(process.matches)
    await configured(process, OWNER, OTHER)
    await process.poll(TWO)

    assert [1] == [match.polls for match in process.matches]


async def test_a_liveblog_that_could_not_be_written_gets_what_it_has_missed_from_the_next_process(store):
    """Its terms cannot be read for a while; the other liveblog on the match gets the goal, and the provider says nothing new."""
    process, broken = await begun(store, ONE)
    other = await process.create()
    terms = (await store.read(lambda conn: follow_rows.attachment(conn, broken))).terms
    await store.write(partial(follow_rows.save_terms, game_id=broken, terms={"sport": 7}))
    await process.restart()
    await process.poll(TWO)
    await process.settle()
    on_it = update(attachments).where(attachments.c.game_id == broken)
    await store.write(lambda unit: unit.conn.execute(on_it.values(terms=dict(terms))))
    await process.restart()
    await process.settle()

    assert ["incident:11", "incident:12"] == await goals(process, other) == await goals(process, broken)


@pytest.mark.parametrize("kind", ["a counter", "two caches"])
async def test_a_body_that_changes_for_ever_keeps_no_match_open(store, kind):
    """What the body adds is nothing of the match: the window after the end counts from the last change of that."""
    process, _ = await begun(store, TWO)
    answers = {
        "a counter": [over(FIRST, SECOND, counter=str(number)) for number in range(40)],
        "two caches": [over(FIRST, {**SECOND, "minute": str(30 + number % 2)}) for number in range(40)],
    }[kind]
    for bodies in answers:
        process.clock.now += 3 * 3600
        if not process.matches:
            break
        await process.poll(bodies)
        await process.followers.stop()

    assert () == process.matches


async def test_a_match_that_its_provider_does_not_know_any_more_is_given_up(store, monkeypatch):
    """It never ended, and is 404 for as long as an ended match is followed; before that it may come back."""
    process, ticker_id = await begun(store, TWO)

    async def unknown(*_: Any, **__: Any) -> Fetched:
        error = MatchUnknown("the provider does not know the match")
        return Fetched(answers=(Answer(resource="match", outcome=Outcome.FAILED, error=error),))

    monkeypatch.setattr(process.adapter, "fetch", unknown)
    await process.poll()
    process.clock.now += 3600
    await process.poll()
    assert process.matches
    process.clock.now += 3 * 86_400
    await process.poll()
    await process.followers.stop()

    assert () == process.matches
    assert ["incident:11", "incident:12"] == await goals(process, ticker_id)
