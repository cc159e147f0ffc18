"""A correction that moves the id of a row edits the post that is there: one post, the same `local_id`."""

import json

import pytest

from tests.kit.no_post_lost import Followed

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
