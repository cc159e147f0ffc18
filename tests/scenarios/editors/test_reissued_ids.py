"""Rows that come again under other ids, or corrected under another one, are the same posts, as a person left them."""

import json
from collections.abc import Callable

import pytest

from tests.kit.corrected_match import FIRST, ONE, START, begun, edit, snapshot
from tests.kit.no_post_lost import Followed
from tests.kit.sampling import in_proof
from tests.kit.scripted import Bodies, open_store
from tests.kit.sqlite import migrated_url
from tests.kit.watched import COURSES
from tests.providers.heim.feed import row

ROWS: dict[str, tuple[str, ...]] = {"match-event": (), "liveticker": (), "actions": ("actions",)}
"""Resource → where its rows are."""
ANSWERS = 3
"""Answers of a match's second half that are played under other ids."""


def rows_of(resource, document):
    for name in ROWS[resource]:
        document = document[name]
    return document


def renumbered(bodies: Bodies, step: Callable[[str], str]) -> Bodies:
    """The answers with other ids of all rows, also where a text names them."""
    documents = {name: json.loads(bodies[name]) for name in ROWS.keys() & bodies.keys() if bodies[name]}
    for name, document in documents.items():
        for each in rows_of(name, document):
            for named in (each, each.get("event")):
                if isinstance(named, dict) and "id" in named:
                    named["id"] = step(named["id"])
    return {**bodies, **{name: json.dumps(document).encode() for name, document in documents.items()}}


def later(number: str) -> str:
    """Another id, in the same order."""
    head = number.rstrip("0123456789")
    return f"{head}{int(number[len(head) :]) + 70_000_000}"


def of_half_time(snapshots: list[Bodies]) -> tuple[Bodies, list[Bodies]]:
    """The answer at half-time, and some of those after it with the last one."""
    middle = len(snapshots) // 2
    rest = snapshots[middle:]
    return snapshots[middle], [*rest[:: max(len(rest) // ANSWERS, 1)], rest[-1]]


def ids_of(posts):
    return {local_id for local_id, _ in posts.values()}


def words(posts):
    """What all posts say, whatever they are named."""
    return sorted(json.dumps(without_names(document), sort_keys=True) for _, document in posts.values())


def without_names(value):
    if isinstance(value, dict):
        return {
            name: without_names(each) for name, each in value.items() if name != "created_at" and name[-3:] != "_id"
        }
    return [without_names(each) for each in value] if isinstance(value, list) else value


FEW = {
    "gn_gsd soccer uruguay-russia", "heim demo sao-paulo-grand-prix", "heim soccer ma2309737", "heim tennis tie-break",
    "openligadb openligadb soccer",
}  # fmt: skip
"""The courses that every run plays, one of each kind."""


@pytest.mark.parametrize("name", [pytest.param(each, marks=() if each in FEW else in_proof(each)) for each in COURSES])
async def test_a_match_of_which_all_ids_are_given_anew_at_half_time_keeps_its_posts(name, tmp_path):
    """Each post keeps its `local_id`, the one that an editor deleted stays deleted, and the end is that of the old ids."""
    ends = []
    for step in (str, later):
        store = await open_store(migrated_url(tmp_path / f"{step.__name__}.db"))
        followed = Followed(store, name)
        half_time, rest = of_half_time(followed.course.snapshots)
        await followed.settle(half_time)
        played = [key for key, (_, document) in (await followed.posts()).items() if "sport_event" in document]
        if played:
            await edit(followed.process, followed.ticker_id, played[-1], local_status=100)
        before = await followed.posts()
        await followed.settle(renumbered(half_time, step))
        await followed.settle(renumbered(half_time, step))
        assert ids_of(before) == ids_of(await followed.posts())
        for bodies in rest:
            await followed.settle(renumbered(bodies, step))
        ends.append(await followed.posts())
        gone = await followed.process.events(followed.ticker_id, statuses=(60,))
        ends[-1]["withdrawn"] = ("", {"number": len(gone)})
        await store.close()
    assert [] == sorted(set(words(ends[0])) ^ set(words(ends[1])))
    assert len(ends[0]) == len(ends[1])


IN, OUT = row(21, "playing/substitute-in", 60, "home", 14), row(22, "playing/substitute-out", 60, "home", 8)
IN_ANEW, OUT_ANEW = {**IN, "id": "31"}, {**OUT, "id": "32"}
CHANGE = "incident:21"
AWAY = 4
"""Answers without the rows, which are believed."""


async def given_anew(process, *, away, before, after):
    """The rows are gone for so many answers, then there again under other ids."""
    for _ in range(away):
        await process.poll(before)
    await process.poll(after)
    await process.settle()


@pytest.mark.parametrize("away", [0, AWAY])
@pytest.mark.parametrize("restarted", [False, True])
async def test_a_post_that_an_editor_deleted_stays_deleted_under_other_ids(store, away, restarted):
    """Both rows of a substitution come again, at once or minutes later: one line of the ledger, and nothing is public."""
    process, ticker_id = await begun(store, snapshot("1:0", START, FIRST, IN, OUT))
    await edit(process, ticker_id, CHANGE, local_status=100)
    if restarted:
        await process.restart()
    await given_anew(process, away=away, before=ONE, after=snapshot("1:0", START, FIRST, IN_ANEW, OUT_ANEW))

    rows = await process.ledger(ticker_id)
    assert "incident:31" not in await process.posted(ticker_id)
    assert CHANGE not in rows
    assert "gone" == rows["incident:31"].state


@pytest.mark.parametrize("away", [0, AWAY])
async def test_what_an_editor_wrote_is_public_under_other_ids(store, away):
    """His headline stands on the post that readers see, which is the one that it was; its blocks keep their names."""
    process, ticker_id = await begun(store, snapshot("1:0", START, FIRST, IN, OUT))
    await edit(process, ticker_id, CHANGE, headline="Fresh legs")
    before = (await process.posted(ticker_id))[CHANGE]
    name = (await process.ledger(ticker_id))[CHANGE].local_id
    anew = snapshot("1:0", START, FIRST, IN_ANEW, OUT_ANEW)
    await given_anew(process, away=away, before=ONE, after=anew)

    assert before == (await process.posted(ticker_id))["incident:31"]
    assert name == (await process.ledger(ticker_id))["incident:31"].local_id
    await given_anew(process, away=away, before=ONE, after=snapshot("1:0", START, FIRST, IN, OUT))
    assert before == (await process.posted(ticker_id))[CHANGE]
    assert [] == await process.events(ticker_id, statuses=(60,))


NAME = "heim demo croatia-denmark"


def changed(bodies, change):
    rows = json.loads(bodies["match-event"])
    change(rows)
    return {**bodies, "match-event": json.dumps(rows, ensure_ascii=False).encode()}


def halves_of_a_substitution(rows):
    """The two rows of the first substitution."""
    comes, *_ = (row for row in rows if row["kind"] == "substitute-in")
    leaves = next(
        row
        for row in rows
        if row["kind"] == "substitute-out" and (row["minute"], row["team"]) == (comes["minute"], comes["team"])
    )
    return comes, leaves


def exchange(rows):
    """The desk has taken the one who comes on for the one who goes off."""
    comes, leaves = halves_of_a_substitution(rows)
    comes["kind"], leaves["kind"] = leaves["kind"], comes["kind"]


def card_of_another_colour(rows):
    """A yellow card is taken away, and a red one entered in its place."""
    row, *_ = (row for row in rows if (row["action"], row["kind"]) == ("card", "yellow"))
    row.update(id="9999999", kind="red")


def goal_entered_again(rows):
    """A goal is taken away and entered again, a minute later and with another scorer."""
    row, *_ = (row for row in rows if row["action"] == "goal")
    other = next(each for each in rows if each["kind"] == "lineup" and each["team"] == row["team"])
    row.update(id="9999999", minute=str(int(row["minute"]) + 1), person=other["person"])


def end_entered_again(rows):
    """The end of the match under another id."""
    row, *_ = (row for row in rows if row["kind"] == "game-end")
    row.update(id="9999999")


@pytest.mark.parametrize("change", [exchange, card_of_another_colour, goal_entered_again, end_entered_again])
async def test_a_correction_that_moves_the_id_is_one_post_edited(change, store):
    """At once, in one version step at most; it stays so at the next polls, and the first form comes back the same way."""
    followed = Followed(store, NAME)
    good = followed.course.snapshots[-1]
    await followed.settle(good)
    version, posts = await followed.after(good), await followed.posts()
    corrected = changed(good, change)
    then = await followed.after(corrected)
    after = await followed.posts()

    assert {key: local_id for key, (local_id, _) in posts.items()} == {key: each for key, (each, _) in after.items()}
    assert 1 == sum(posts[key] != after[key] for key in posts) or change is end_entered_again
    assert then - version <= 1
    assert [then] * 3 == [await followed.after(corrected) for _ in range(3)]
    await followed.after(good)
    assert posts == await followed.posts()
