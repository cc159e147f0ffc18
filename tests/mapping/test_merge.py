"""The merge: a person wins unit by unit, and everything else follows the provider."""

from copy import deepcopy

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mapping.posts.merge import adopt_block_ids, hand_back, merge_event, merge_game, owners, same
from tests.kit.sampling import examples


def text(name, words):
    return {"_type": "Svc::Model::Content::RichTextContentBlock", "local_id": name, "text": words}


def goal(minute="15'", scorer="Goretzka", words="1:0", **more):
    return {
        "_type": "Svc::Model::Event",
        "headline": "",
        "sport_event": {"event_type": "soccer.goal", "time_of_play": minute, "players": [scorer]},
        "contents": [text("b1", words)],
        **more,
    }


PHOTO = {"_type": "Svc::Model::Content::MultiMediaContentBlock", "local_id": "bphoto", "items": []}


def test_what_nobody_touched_follows_the_provider():
    """Every unit of an untouched post takes the provider's new value."""
    merged = merge_event(goal(), goal(), goal("16'", "Naldo", "corrected"))

    assert goal("16'", "Naldo", "corrected") == merged


@pytest.mark.parametrize("unit", ["time_of_play", "players"])
def test_a_changed_field_of_the_sport_event_stays_while_its_neighbours_follow(unit):
    """The editor owns one field of the sport event; the others go on following the provider."""
    edited = goal()
    edited["sport_event"] = {**edited["sport_event"], unit: "edited"}
    wanted = goal("16'", "Naldo", "corrected")

    merged = merge_event(goal(), edited, wanted)

    assert merged["sport_event"] == {**wanted["sport_event"], unit: "edited"}
    assert merged["contents"] == wanted["contents"]


def test_a_photo_does_not_stop_the_narrative():
    """A block that the editor added keeps its place, and the text block beside it still follows."""
    current = goal(words="1:0")
    current["contents"] = [PHOTO, *current["contents"]]

    merged = merge_event(goal(), current, goal(words="A long run, a cool finish."))

    assert [PHOTO, text("b1", "A long run, a cool finish.")] == merged["contents"]


def test_a_removed_block_stays_removed():
    """What the editor took out does not come back with the provider's next word."""
    current = {**goal(), "contents": [PHOTO]}

    merged = merge_event(goal(), current, goal(words="corrected"))
    again = merge_event(goal(words="corrected"), merged, goal(words="corrected twice"))

    assert [PHOTO] == merged["contents"] == again["contents"]


def test_agreement_gives_the_unit_back():
    """When provider and person say the same, the unit follows the provider again."""
    edited = goal("16'")

    kept = merge_event(goal("15'"), edited, goal("15'"))
    agreed = merge_event(goal("15'"), kept, goal("16'"))
    later = merge_event(goal("16'"), agreed, goal("17'"))

    assert "16'" == kept["sport_event"]["time_of_play"]
    assert "17'" == later["sport_event"]["time_of_play"]


def test_a_sport_event_that_the_editor_removed_stays_removed():
    """Taking out the whole sport event is a decision too."""
    current = {name: value for name, value in goal().items() if name != "sport_event"}

    merged = merge_event(goal(), current, goal("16'"))

    assert "sport_event" not in merged


def test_a_field_that_the_provider_drops_disappears_unless_edited():
    """A value that the provider takes back goes, an editor's own stays."""
    with_credit = goal(credit="agency", tag_ids=["a"])
    edited = {**with_credit, "tag_ids": ["a", "b"]}

    merged = merge_event(with_credit, edited, goal())

    assert "credit" not in merged
    assert ["a", "b"] == merged["tag_ids"]


def test_the_game_keeps_parts_that_the_sync_does_not_speak_of():
    """Only wanted parts are merged; tags and permissions of a liveblog are nobody's business here."""
    written = {"scoreboard": {"score": {"home_score": "1"}}}
    current = {**written, "tags": ["derby"]}

    merged = merge_game(written, current, {"scoreboard": {"score": {"home_score": "2"}}})

    assert {"scoreboard": {"score": {"home_score": "2"}}, "tags": ["derby"]} == merged


def test_an_editor_who_is_faster_than_the_provider_does_not_freeze_the_score():
    """The editor types 2:0 a poll before the provider does; 3:0 then comes from the provider."""
    one, two, three = ({"scoreboard": {"score": {"home_score": str(n)}}} for n in (1, 2, 3))

    waiting = merge_game(one, two, one)
    agreed = merge_game(one, waiting, two)
    after = merge_game(two, agreed, three)

    assert two == waiting == agreed
    assert three == after


def test_blocks_sent_back_without_ids_are_recognised():
    """By type and position, so that a client that drops ids does not turn every block into its own."""
    stored = [text("b1", "one"), PHOTO, text("b2", "two")]
    sent = [{**block, "local_id": ""} for block in stored]

    assert ["b1", "bphoto", "b2"] == [block["local_id"] for block in adopt_block_ids(stored, sent)]


def test_owners_name_each_unit():
    """For every unit its owner is known."""
    edited = goal("16'", headline="Wonder goal")
    edited["contents"] = [*edited["contents"], PHOTO]

    found = owners(goal(), edited)

    assert "editor" == found["sport_event.time_of_play"] == found["headline"] == found["contents.bphoto"]
    assert "sync" == found["sport_event.players"] == found["contents.b1"]


def sets(*scores):
    """A board by sets, each "home:away"."""
    rows = [
        {"_type": PAIR, "title": str(number), "home_score": home, "away_score": away}
        for number, (home, away) in enumerate((score.split(":") for score in scores), 1)
    ]
    return {"scoreboard": {"scores": rows}}


def test_a_score_of_a_set_by_hand_stops_neither_its_other_side_nor_the_sets_after_it():
    """Scores of sets are rows by title, merged field by field; the provider's new set is added behind the others."""
    merged = merge_game(sets("6:4", "2:1"), sets("6:4", "3:1"), sets("6:4", "2:2", "0:1"))
    healed = merge_game(sets("6:4", "2:2", "0:1"), merged, sets("6:4", "3:2", "0:1"))

    assert sets("6:4", "3:2", "0:1") == merged == healed
    assert sets("6:4", "4:2", "0:1") == merge_game(sets("6:4", "3:2", "0:1"), healed, sets("6:4", "4:2", "0:1"))


def test_a_team_that_an_editor_exchanged_keeps_nothing_of_the_one_before():
    """Another `_id` is another team: name and picture of two teams never mix."""
    other = {"_type": TEAM["_type"], "_id": "5f0c1de2a1b2c3d4e5f6071a", "name": "The others"}
    said, wanted = ({"meta_info": {"home_team": {**TEAM, "name": name, "image": "i"}}} for name in ("Home", "Home FC"))

    assert {"meta_info": {"home_team": other}} == merge_game(said, {"meta_info": {"home_team": other}}, wanted)


PAIR = "Svc::Model::Content::Scoreboard::ScoreboardScore"
TEAM = {"_type": "Svc::Model::Team", "_id": "5f0c1de2a1b2c3d4e5f60719"}


def played(values):
    """A liveblog and its post as one document, with these values of its units, by name."""
    say = values.get
    return {
        "summary": say("summary"),
        "meta_info": {"title": say("meta_info.title"), "home_team": {**TEAM, "name": say("meta_info.home_team.name")}},
        "state_info": {
            "_type": "Clock",
            "timeout": say("state_info.timeout"),
            "gamestate": say("state_info.gamestate"),
        },
        "options": {"phase_length": say("options.phase_length")},
        "squads": {"home": {"_type": "Svc::Model::Squad", "lineup": [*(say("squads.home.lineup") or "")]}},
        "scoreboard": {
            "score": {
                "_type": PAIR,
                "home_score": say("scoreboard.score.home_score"),
                "away_score": say("scoreboard.score.away_score"),
            },
            "scores": [
                {"_type": PAIR, "title": title, "home_score": say(f"scoreboard.scores.{title}.home_score")}
                for title in ("1", "2")
            ],
        },
        "headline": say("headline"),
        "sport_event": {"event_type": "soccer.goal", "time_of_play": say("sport_event.time_of_play")},
        "contents": [text(name, say(f"contents.{name}")) for name in ("b1", "b2") if say(f"contents.{name}")],
    }


UNITS = (
    "summary", "meta_info.title", "meta_info.home_team.name", "state_info.timeout", "state_info.gamestate",
    "options.phase_length", "squads.home.lineup", "scoreboard.score.home_score", "scoreboard.score.away_score",
    "scoreboard.scores.1.home_score", "scoreboard.scores.2.home_score", "headline", "sport_event.time_of_play",
    "contents.b1", "contents.b2",
)  # fmt: skip


def without_empty(document):
    """The document without absent, null and empty values, which are one, and without an order of its blocks."""
    if isinstance(document, dict):
        inner = {name: without_empty(value) for name, value in document.items()}
        return {name: value for name, value in inner.items() if not same(value, None)}
    return sorted(map(without_empty, document), key=str) if isinstance(document, list) else document


class Owned:
    """A field belongs to whoever differed last, and to nobody when both say the same."""

    def __init__(self):
        self.said = self.value = ""
        self.edited = False

    def provider(self, value):
        self.edited = self.edited and value != self.value
        self.said, self.value = value, self.value if self.edited else value

    def editor(self, value):
        self.edited, self.value = value != self.said, value


interleavings = st.lists(st.sampled_from(UNITS), min_size=1, max_size=3).flatmap(
    lambda units: st.lists(
        st.tuples(st.sampled_from(["provider", "editor"]), st.sampled_from(units), st.sampled_from(["", "a", "b"])),
        min_size=1,
        max_size=20,
    )
)


@settings(max_examples=examples(200))
@given(steps=interleavings, merge=st.sampled_from([merge_event, merge_game]))
def test_a_field_belongs_to_whoever_differed_last_and_to_nobody_when_both_say_the_same(steps, merge):
    """Whatever provider and editor say and in whichever order, each unit is worth and owned as the model has it."""
    model = {unit: Owned() for unit in UNITS}
    said, current = played({}), played({})
    for who, unit, value in steps:
        getattr(model[unit], who)(value)
        if who == "provider":
            wanted = played({name: each.said for name, each in model.items()})
            said, current = wanted, merge(said, deepcopy(current), wanted)
        else:
            current = played({name: each.value for name, each in model.items()})
        assert without_empty(played({name: each.value for name, each in model.items()})) == without_empty(current)
        edited = {name for name, owner in owners(said, current).items() if owner == "editor"}
        assert {name for name, each in model.items() if each.edited} == edited


values = st.sampled_from(["", "a", "b", "c"])
documents = st.builds(
    lambda minute, words, headline, photo: {
        **goal(minute, words=words, headline=headline),
        "contents": [text("b1", words), *([PHOTO] if photo else [])] if words else [],
    },
    values,
    values,
    values,
    st.booleans(),
)


@given(written=documents, current=documents, wanted=documents)
def test_merging_again_changes_nothing(written, current, wanted):
    """The merge is stable: the same provider's word a second time writes nothing."""
    once = merge_event(written, current, wanted)
    twice = merge_event(wanted, once, wanted)

    assert same(once, twice)


@given(current=documents, wanted=documents)
def test_an_untouched_document_becomes_what_is_wanted(current, wanted):
    """Without an editor the provider's word is taken whole."""
    merged = merge_event(current, current, wanted)

    assert all(same(merged.get(name), wanted.get(name)) for name in {*merged, *wanted})


def test_a_unit_that_is_handed_back_takes_the_last_thing_that_the_provider_said():
    """The named unit follows the provider again, at once and later; the person keeps the others."""
    current = {**goal("14'", words="my words", headline="Mine"), "tag_ids": ["a"]}
    said = goal("16'", "Naldo")

    given = hand_back(current, said, ["sport_event.time_of_play", "contents.b1"])
    later = merge_event(said, given, goal("17'", words="corrected"))

    assert "16'" == given["sport_event"]["time_of_play"]
    assert ("17'", "corrected", "Mine") == (
        later["sport_event"]["time_of_play"],
        later["contents"][0]["text"],
        later["headline"],
    )
    assert "Goretzka" == later["sport_event"]["players"][0]


def test_a_whole_document_is_handed_back_without_what_the_provider_never_spoke_of():
    """Every unit that the provider speaks of is its own again; an added photo and tags stay, a removed block comes back."""
    current = {**goal("14'", headline="Mine"), "contents": [PHOTO], "tag_ids": ["a"]}
    said = goal("16'", "Naldo", "corrected")

    given = hand_back(current, said, None)

    assert {**said, "contents": [text("b1", "corrected"), PHOTO], "tag_ids": ["a"]} == given
    assert {"contents.bphoto", "tag_ids"} == {unit for unit, owner in owners(said, given).items() if owner == "editor"}


@pytest.mark.parametrize("names", [["scoreboard"], ["scoreboard.score"], ["scoreboard.score.home_score"]])
def test_what_holds_a_unit_can_be_handed_back_by_name(names):
    """A part of the liveblog, or one field of it: nothing beside it changes."""
    said = {"scoreboard": {"score": {"home_score": "2", "away_score": "1"}}, "summary": ""}
    current = {"scoreboard": {"score": {"home_score": "3", "away_score": "1"}}, "summary": "Derby"}

    assert {**current, "scoreboard": said["scoreboard"]} == hand_back(current, said, names)


SCORE = {"_type": "Svc::Model::Content::Scoreboard::ScoreboardScore", "home_score": "1", "away_score": "0"}


@pytest.mark.parametrize("gone", [None, {}])
def test_of_what_the_provider_takes_back_a_persons_part_alone_stays(gone):
    """A score with a field of a person's keeps that field, and no other; one that nobody touched is gone."""
    edited = goal()
    edited["sport_event"] = {**edited["sport_event"], "score": {**SCORE, "home_score": "7"}}
    said = goal()
    said["sport_event"] = {**said["sport_event"], "score": SCORE}
    wanted = goal()
    wanted["sport_event"] = {**wanted["sport_event"], **({} if gone is None else {"score": gone})}

    assert {"_type": SCORE["_type"], "home_score": "7"} == merge_event(said, edited, wanted)["sport_event"]["score"]
    assert not merge_event(said, said, wanted)["sport_event"].get("score")
    assert {"_type": SCORE["_type"], "home_score": "7"} == merge_event(
        wanted, merge_event(said, edited, wanted), wanted
    )["sport_event"]["score"]


A, B, C = ({"local_id": name, "text": name} for name in "abc")
MINE = {"local_id": "m", "text": "mine"}
NAMELESS = {"text": "nameless"}


def edited(block):
    return {**block, "text": "edited"}


GIVEN_BACK = {
    "one removed block": ([B], [A, B], ["contents.a"], [A, B]),
    "another one alone": ([B], [A, B, C], ["contents.c"], [B, C]),
    "none of the removed ones": ([B], [A, B], ["contents.b"], [B]),
    "one edited block": ([edited(A), edited(B)], [A, B], ["contents.b"], [edited(A), B]),
    "all of them by their name": ([edited(B)], [A, B], ["contents"], [A, B]),
    "everything": ([edited(B), MINE], [A, B], None, [A, B, MINE]),
    "behind what it follows": ([A, MINE, C], [A, B, C], ["contents.b"], [A, B, MINE, C]),
    "at the beginning": ([MINE, B], [A, B], ["contents.a"], [A, MINE, B]),
    "what the provider never wrote": ([MINE], [A], ["contents.m"], [MINE]),
    "what it has not any more": ([A, edited(B)], [A], None, [A, edited(B)]),
    "of no blocks at all": (None, [A, B], ["contents.b"], [B]),
    "with a nameless one of a person": ([NAMELESS, B], [A, B], ["contents.a"], [A, NAMELESS, B]),
    "whose names are not unique": ([edited(A)], [A, A], ["contents.a"], [edited(A)]),
    "whose names are not unique, as a whole": ([edited(A)], [A, A], ["contents"], [A, A]),
    "without names": ([edited(A)], [NAMELESS, A], ["contents.a"], [edited(A)]),
}


@pytest.mark.parametrize(("now", "said", "names", "given"), GIVEN_BACK.values(), ids=GIVEN_BACK.keys())
def test_blocks_are_handed_back_one_by_one(now, said, names, given):
    current = {} if now is None else {"contents": now}
    assert hand_back(current, {"contents": said}, names) == {"contents": given}


MERGED = {
    "an edited block stays": ([A, B], [edited(A), B], [A, edited(B)], [edited(A), edited(B)]),
    "a removed block stays removed": ([A, B], [B], [A, edited(B)], [edited(B)]),
    "a block that the provider takes back goes": ([A, B], [A, B], [B], [B]),
    "but an edited one does not": ([A, B], [edited(A), B], [B], [edited(A), B]),
    "a new block behind what it follows": ([A], [A, MINE], [A, B], [A, B, MINE]),
    "a new block at the beginning": ([B], [MINE, B], [A, B], [A, MINE, B]),
    "a new block that a person has already": ([], [A], [A, B], [A, B]),
    "blocks of a person alone": ([], [MINE], [A], [A, MINE]),
    "names that are not unique are one unit": ([A, A], [edited(A)], [B, B], [edited(A)]),
    "names that are not unique and untouched": ([A, A], [A, A], [B, B], [B, B]),
}


@pytest.mark.parametrize(("said", "now", "new", "merged"), MERGED.values(), ids=MERGED.keys())
def test_blocks_are_merged_one_by_one(said, now, new, merged):
    assert merge_event({"contents": said}, {"contents": now}, {"contents": new}) == {"contents": merged}


OWNED = {
    "blocks by their names": ([A, B], [A, edited(B)], {"contents.a": "sync", "contents.b": "editor"}),
    "a removed block": ([A, B], [B], {"contents.a": "editor", "contents.b": "sync"}),
    "an added block": ([A], [A, MINE], {"contents.a": "sync", "contents.m": "editor"}),
    "names that are not unique": ([A, A], [A, MINE], {"contents": "editor"}),
    "no list": ("text", [A], {"contents": "editor"}),
}


@pytest.mark.parametrize(("said", "now", "owned"), OWNED.values(), ids=OWNED.keys())
def test_owners_of_blocks(said, now, owned):
    assert owners({"contents": said}, {"contents": now}) == owned


FIELDS = {
    "the same thing, field by field": (
        {"_type": "t", "a": 1, "b": 1}, {"_type": "t", "a": 2, "b": 1},
        {"_type": "t", "a": 1, "b": 2}, {"_type": "t", "a": 2, "b": 2},
    ),
    "another type is another thing": (
        {"_type": "t", "a": 1}, {"_type": "u", "a": 1}, {"_type": "t", "a": 2}, {"_type": "u", "a": 1},
    ),
    "another id is another thing": (
        {"_id": "1", "a": 1}, {"_id": "2", "a": 1}, {"_id": "1", "a": 2}, {"_id": "2", "a": 1},
    ),
    "another local id is another thing": (
        {"local_id": "1", "a": 1}, {"local_id": "2", "a": 1}, {"local_id": "1", "a": 2}, {"local_id": "2", "a": 1},
    ),
    "what the provider never said is a person's": (None, {"a": 1}, {"b": 2}, {"a": 1, "b": 2}),
    "what a person has emptied stays empty": ({"a": 1}, {}, {"a": 2}, {}),
    "a list whose rows have no names is one unit": ([1, 2], [1], [1, 2, 3], [1]),
    "a text of a person stays": ("said", "mine", None, "mine"),
    "an untouched text goes": ("said", "said", None, None),
    "an identity alone is nothing that is left": (
        {"_id": "1", "_type": "t", "local_id": "l", "a": 1}, {"_id": "1", "_type": "t", "local_id": "l", "b": None}, None, None,
    ),
}  # fmt: skip


@pytest.mark.parametrize(("said", "now", "new", "merged"), FIELDS.values(), ids=FIELDS.keys())
def test_a_field_is_merged_by_what_it_holds(said, now, new, merged):
    found = merge_event({"it": said}, {"it": now}, {"it": new})
    assert found.get("it") == merged
    assert merge_game({"it": said}, {"it": now, "more": 1}, {"it": new}) == {**found, "more": 1}


@pytest.mark.parametrize(("previous", "sent", "adopted"), [
    ([("a", "t"), ("b", "t")], [(None, "t"), (None, "t")], ["a", "b"]),
    ([("a", "t"), ("b", "u")], [(None, "u"), (None, "t")], ["b", "a"]),
    ([("a", "t")], [(None, "t"), (None, "t")], ["a", None]),
    ([("a", "t"), ("b", "t")], [("a", "t"), (None, "t")], ["a", "b"]),
    ([(None, "t"), ("b", "t")], [(None, "t")], ["b"]),
    ([("a", "t")], [("x", "t")], ["x"]),
])  # fmt: skip
def test_blocks_without_a_name_take_that_of_the_stored_one_in_their_place(previous, sent, adopted):
    def blocks(rows):
        return [{"_type": kind, **({"local_id": name} if name else {})} for name, kind in rows]

    found = adopt_block_ids(blocks(previous), blocks(sent))
    assert [each.get("local_id") for each in found] == adopted
    assert [each["_type"] for each in found] == [kind for _, kind in sent]
