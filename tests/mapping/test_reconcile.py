"""The reconciler: wanted posts against a ledger, by a match that is believed and that takes back and gives again."""

from dataclasses import replace
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mapping.documents.scalars import LocalStatus
from mapping.match.match import Score
from mapping.posts.posts import Post
from mapping.posts.reconcile import Changes, Entry, State, Stored, reconcile, with_deletion
from mapping.posts.withdrawal_notes import Notes
from tests.mapping.soccer_builders import GORETZKA, incident, involved, post_of, terms


def post(key, words="as it was", *, kind="soccer.goal", draft=False, source="play", waits=False):
    document = {"headline": words, "contents": [], "sport_event": {"event_type": kind, "players": []}}
    return Post(key=key, kind=kind, document=document, draft=draft or waits, source=source, waits=waits)


class Liveblog:
    """The ledger and the events of one liveblog, as the store would hold them."""

    def __init__(self):
        self.ledger, self.events = {}, {}
        self._ids = count(1)
        self.writes = 0

    def sees(self, *wanted, **wishes):
        """Apply what is believed of the match."""
        new_id = lambda: f"e{next(self._ids)}"  # noqa: E731
        changes = reconcile(wanted, self.ledger, self.events, new_id=new_id, **wishes)
        self.ledger |= {entry.key: entry for entry in changes.entries}
        self.events |= {event.local_id: event for event in changes.events}
        self.writes += len(changes.events)
        return changes

    def edit(self, key, *, status=None, scheduled=False, **fields):
        """What an editor does to a post."""
        event = self.events[self.ledger[key].local_id]
        self.events[event.local_id] = Stored(
            local_id=event.local_id,
            document={**event.document, **fields},
            local_status=event.local_status if status is None else status,
            scheduled=scheduled,
        )

    def status(self, key):
        return self.events[self.ledger[key].local_id].local_status

    @property
    def posted(self):
        return {key for key in self.ledger if self.status(key) == LocalStatus.PUBLISHED}


@pytest.fixture
def liveblog():
    return Liveblog()


@pytest.mark.parametrize(
    ("end", "late", "placed"),
    [({}, {}, (899, 900)), ({"created_at": 800}, {}, (None, 800)), ({}, {"created_at": 700}, (700, None))],
    ids=["neither has a time", "the end has one", "the late one has one"],
)
def test_what_is_posted_after_the_end_stands_before_its_post(liveblog, end, late, placed):
    """Where neither has a time the end moves on; where a person has moved or deleted it, it stays."""
    last = post("end", kind="tennis.end")
    last = replace(last, ends=True, document=last.document | end)
    game, moved = replace(post("a"), document=post("a").document | late), post("b")
    liveblog.sees(last, now=800)
    liveblog.sees(game, last, now=900)
    times = {key: liveblog.events[liveblog.ledger[key].local_id].document.get("created_at") for key in ("a", "end")}
    assert (times["a"], times["end"]) == placed
    assert {each.document["headline"] for each in liveblog.events.values()} == {"as it was"}

    liveblog.edit("end", created_at=850, status=LocalStatus.DELETED)
    changes = liveblog.sees(game, moved, last, now=950)
    assert [event.document.get("created_at") for event in changes.events if event.document == moved.document] == [None]


def test_a_correction_edits_the_post_it_corrects(liveblog):
    """The same local_id carries the provider's new word."""
    liveblog.sees(post("a"))
    name = liveblog.ledger["a"].local_id
    liveblog.sees(post("a", "corrected"))

    assert [name] == list(liveblog.events)
    assert "corrected" == liveblog.events[name].document["headline"]


def test_drafts_are_hidden_until_an_editor_publishes_them(liveblog):
    """An excluded type is imported and offered; published by a person it stays so, withdrawn and back too."""
    liveblog.sees(post("a", draft=True))
    assert LocalStatus.UNPUBLISHED == liveblog.status("a")

    liveblog.edit("a", status=LocalStatus.PUBLISHED)
    liveblog.sees(post("a", "corrected", draft=True))
    assert LocalStatus.PUBLISHED == liveblog.status("a")

    liveblog.sees()
    assert LocalStatus.UNPUBLISHED == liveblog.status("a")
    liveblog.sees(post("a", draft=True))
    assert LocalStatus.PUBLISHED == liveblog.status("a")


@given(st.lists(st.sets(st.sampled_from("abcd")), min_size=1, max_size=12))
def test_the_last_answer_settles_everything(responses):
    """Whatever came before: what is posted is what the last answer holds, each once."""
    liveblog = Liveblog()
    for keys in responses:
        liveblog.sees(*(post(key) for key in sorted(keys)))

    assert responses[-1] == liveblog.posted
    assert len(liveblog.ledger) == len(liveblog.events)


def test_what_waits_for_an_editor_is_published_by_an_editor_alone(liveblog):
    """Such a post stays a draft when posts need no editor any more, and comes back as a draft; a published one stays published."""
    liveblog.sees(post("a"))
    liveblog.sees(post("a"), post("b"), editorial=True)
    assert {"a"} == liveblog.posted

    liveblog.sees(post("a"), post("b"))
    liveblog.sees(post("a"))
    liveblog.sees(post("a"), post("b"))
    assert {"a"} == liveblog.posted

    liveblog.edit("b", status=LocalStatus.PUBLISHED)
    liveblog.sees(post("a"), post("b"), editorial=True)
    assert {"a", "b"} == liveblog.posted


PUBLISHED, UNPUBLISHED, DELETED = LocalStatus.PUBLISHED, LocalStatus.UNPUBLISHED, LocalStatus.DELETED
SAID = post("a").document
LINE = Entry(
    key="a", kind="soccer.goal", source="play", local_id="e1", said=SAID, said_status=PUBLISHED, public_since=5
)
DRAFT_LINE = replace(LINE, said_status=UNPUBLISHED, reason="draft", public_since=None)
WITHDRAWN_LINE = replace(
    LINE, state=State.WITHDRAWN, reason="withdrawn by the provider", said_status=UNPUBLISHED, public_since=None
)
WAITS_LINE = replace(DRAFT_LINE, reason="waits for the other source")
GONE_LINE = replace(LINE, state=State.GONE, reason="deleted by an editor")
STANDS = Stored(local_id="e1", document=SAID, local_status=PUBLISHED)
HIDDEN = replace(STANDS, local_status=UNPUBLISHED)
SCHEDULED = replace(HIDDEN, scheduled=True)
MINE = {**SAID, "headline": "Mine"}
NOTHING = ((), ())
"""No event is written and no line."""

DECISIONS = {
    "a new post": (
        [post("a")], None, None, {}, ([STANDS], [LINE]),
    ),
    "a new draft": (
        [post("a", draft=True)], None, None, {}, ([HIDDEN], [DRAFT_LINE]),
    ),
    "a new post that waits for an editor": (
        [post("a")], None, None, {"editorial": True}, ([HIDDEN], [replace(LINE, public_since=None)]),
    ),
    "of two posts of one key the last": (
        [post("a", "first"), post("a")], None, None, {}, ([STANDS], [LINE]),
    ),
    "nothing new": ([post("a")], LINE, STANDS, {}, NOTHING),
    "another kind": (
        [post("a", kind="soccer.own-goal")], LINE, STANDS, {},
        ([replace(STANDS, document=post("a", kind="soccer.own-goal").document)],
         [replace(LINE, kind="soccer.own-goal", said=post("a", kind="soccer.own-goal").document)]),
    ),
    "a draft now": (
        [post("a", draft=True)], LINE, STANDS, {}, ([HIDDEN], [DRAFT_LINE]),
    ),
    "no draft any more": (
        [post("a")], DRAFT_LINE, HIDDEN, {}, ([STANDS], [LINE]),
    ),
    "no draft any more, for an editor": (
        [post("a")], DRAFT_LINE, HIDDEN, {"editorial": True}, ([], [replace(LINE, by_person=True, public_since=None)]),
    ),
    "a public one stays so while editors publish": (
        [post("a")], LINE, STANDS, {"editorial": True}, NOTHING,
    ),
    "hidden by a person": (
        [post("a")], LINE, HIDDEN, {}, ([], [replace(LINE, by_person=True)]),
    ),
    "hidden by a person, and corrected": (
        [post("a", "corrected")], LINE, HIDDEN, {},
        ([replace(HIDDEN, document=post("a", "corrected").document)],
         [replace(LINE, said=post("a", "corrected").document, by_person=True)]),
    ),
    "scheduled by a person": (
        [post("a")], DRAFT_LINE, SCHEDULED, {},
        ([], [replace(DRAFT_LINE, reason="", said_status=PUBLISHED, by_person=True)]),
    ),
    "the text of a scheduled one": (
        [post("a", "corrected")], replace(DRAFT_LINE, said_status=PUBLISHED), SCHEDULED, {},
        ([replace(SCHEDULED, document=post("a", "corrected").document)],
         [replace(DRAFT_LINE, reason="", said=post("a", "corrected").document, said_status=PUBLISHED, by_person=True)]),
    ),
    "once a person's always a person's": (
        [post("a", draft=True)], replace(LINE, by_person=True), STANDS, {},
        ([], [replace(LINE, reason="draft", said_status=UNPUBLISHED, by_person=True)]),
    ),
    "gone": (
        [], LINE, STANDS, {}, ([HIDDEN], [WITHDRAWN_LINE]),
    ),
    "gone, with words of a person": (
        [], LINE, replace(STANDS, document=MINE), {}, ([replace(HIDDEN, document=MINE)], [WITHDRAWN_LINE]),
    ),
    "gone, and hidden by a person": (
        [], LINE, HIDDEN, {}, ([], [replace(WITHDRAWN_LINE, restore_status=UNPUBLISHED, public_since=5)]),
    ),
    "gone, and published by a person": (
        [], DRAFT_LINE, STANDS, {}, ([HIDDEN], [replace(WITHDRAWN_LINE, restore_status=PUBLISHED)]),
    ),
    "gone, and scheduled by a person": (
        [], DRAFT_LINE, SCHEDULED, {}, ([], [replace(WITHDRAWN_LINE, restore_status=UNPUBLISHED)]),
    ),
    "gone as before": ([], WITHDRAWN_LINE, HIDDEN, {}, NOTHING),
    "gone as the window closes": (
        [], LINE, STANDS, {"closing": True}, ([HIDDEN], [WITHDRAWN_LINE]),
    ),
    "still gone as the window closes": (
        [], WITHDRAWN_LINE, HIDDEN, {"closing": True},
        ([replace(HIDDEN, local_status=DELETED)],
         [replace(WITHDRAWN_LINE, state=State.GONE)]),
    ),
    "gone and edited as the window closes": (
        [], WITHDRAWN_LINE, replace(HIDDEN, document=MINE), {"closing": True}, NOTHING,
    ),
    "gone and published by a person as the window closes": (
        [], WITHDRAWN_LINE, STANDS, {"closing": True}, NOTHING,
    ),
    "back": (
        [post("a")], WITHDRAWN_LINE, HIDDEN, {}, ([STANDS], [LINE]),
    ),
    "back with a person's status": (
        [post("a")], replace(WITHDRAWN_LINE, restore_status=UNPUBLISHED), HIDDEN, {},
        ([], [replace(LINE, by_person=True, public_since=None)]),
    ),
    "back after a person published it meanwhile": (
        [post("a")], WITHDRAWN_LINE, STANDS, {}, ([], [replace(LINE, by_person=True, public_since=None)]),
    ),
    "back while editors publish": (
        [post("a")], WITHDRAWN_LINE, HIDDEN, {"editorial": True}, ([STANDS], [LINE]),
    ),
    "new, and waits": ([post("a", waits=True)], None, None, {}, ([HIDDEN], [WAITS_LINE])),
    "waits on, with words of a person": ([post("a", waits=True)], WAITS_LINE, replace(HIDDEN, document=MINE), {}, NOTHING),
    "waits no more": ([post("a")], WAITS_LINE, HIDDEN, {}, ([STANDS], [LINE])),
    "waits, and published by a person": (
        [post("a", waits=True)], WAITS_LINE, STANDS, {}, ([], [replace(WAITS_LINE, by_person=True)]),
    ),
    "hidden by a person, and waits": ([post("a", waits=True)], LINE, HIDDEN, {}, ([], [replace(LINE, by_person=True)])),
    "public, and waits now": (
        [post("a", waits=True)], LINE, STANDS, {}, NOTHING,
    ),
    "back, and waits": (
        [post("a", waits=True)], WITHDRAWN_LINE, HIDDEN, {},
        ([], [WAITS_LINE]),
    ),
    "deleted by a person": (
        [], LINE, replace(STANDS, local_status=DELETED), {}, ([], [GONE_LINE]),
    ),
    "deleted and corrected": (
        [post("a", "corrected")], LINE, replace(STANDS, local_status=DELETED), {},
        ([], [replace(GONE_LINE, said=post("a", "corrected").document)]),
    ),
    "not stored any more": ([post("a")], LINE, None, {}, ([], [GONE_LINE])),
    "a deleted line": ([post("a")], GONE_LINE, STANDS, {}, NOTHING),
    "a deleted line that is gone": ([], replace(GONE_LINE, reason="mine"), STANDS, {}, NOTHING),
    "of a source that nobody wants": (
        [], LINE, STANDS, {"left_out": {"play"}}, ([HIDDEN], [DRAFT_LINE]),
    ),
    "of a source that nobody wants, by a person": (
        [], replace(LINE, by_person=True), STANDS, {"left_out": {"play"}},
        ([], [replace(LINE, by_person=True, reason="draft", said_status=UNPUBLISHED)]),
    ),
    "of a source that nobody wants, published by a person": (
        [], DRAFT_LINE, STANDS, {"left_out": {"play"}}, ([], [replace(DRAFT_LINE, by_person=True)]),
    ),
    "of a source that nobody wants, a draft already": (
        [], DRAFT_LINE, HIDDEN, {"left_out": {"play"}}, NOTHING,
    ),
    "of another source than nobody wants": (
        [], LINE, STANDS, {"left_out": {"text"}}, ([HIDDEN], [WITHDRAWN_LINE]),
    ),
    "withdrawn, and of a source that nobody wants": (
        [], WITHDRAWN_LINE, HIDDEN, {"left_out": {"play"}}, NOTHING,
    ),
}  # fmt: skip


def decide(wanted, line, stands, **wishes):
    ledger, stored = ({} if line is None else {"a": line}), ({} if stands is None else {"e1": stands})
    return reconcile(wanted, ledger, stored, new_id=lambda: "e1", **{"now": 5, **wishes})


@pytest.mark.parametrize(("wanted", "line", "stands", "wishes", "written"), DECISIONS.values(), ids=DECISIONS.keys())
def test_what_a_line_of_the_ledger_and_its_post_become(wanted, line, stands, wishes, written):
    """Each decision, with everything that is written for it; written, it changes nothing more."""
    events, entries = written
    changes = decide(wanted, line, stands, **wishes)
    assert changes == Changes(events=tuple(events), entries=tuple(entries))
    if not wishes.get("closing"):
        again = decide(wanted, (*entries, line)[0], (*events, stands)[0], **wishes)
        assert again.events == ()


WENT_IN = incident("soccer.goal", minute=15, side="home", people=involved(scorer=GORETZKA), score=Score(1, 0))
GOAL = replace(post_of(WENT_IN), key="a")
NOTES = Notes(terms(), after=60)
NOTE = NOTES.note("soccer.goal", GOAL.document)
SEEN = replace(LINE, said=GOAL.document)
ON_BOARD = replace(STANDS, document=GOAL.document)
NOTED = replace(SEEN, state=State.DISALLOWED, reason="withdrawn by the provider", said=NOTE)
NOTED_POST = replace(STANDS, document=NOTE)
OWN_GOAL = replace(
    ON_BOARD,
    document={**GOAL.document, "sport_event": {**GOAL.document["sport_event"], "event_type": "soccer.own-goal"}},
)
GOAL_GONE = replace(WITHDRAWN_LINE, said=GOAL.document)

TAKEN_BACK = {
    "seen long enough": (SEEN, ON_BOARD, 65, ([NOTED_POST], [NOTED])),
    "not seen long enough": (SEEN, ON_BOARD, 64, ([replace(ON_BOARD, local_status=UNPUBLISHED)], [GOAL_GONE])),
    "published by a person, nobody knows when": (
        replace(SEEN, public_since=None), ON_BOARD, 0, ([NOTED_POST], [replace(NOTED, public_since=None)]),
    ),
    "a person's status": (
        replace(SEEN, by_person=True), ON_BOARD, 65, ([NOTED_POST], [replace(NOTED, by_person=True)]),
    ),
    "a draft that a person has published": (
        replace(SEEN, said_status=UNPUBLISHED, reason="draft"), ON_BOARD, 65,
        ([NOTED_POST], [replace(NOTED, by_person=True)]),
    ),
    "hidden": (
        SEEN, replace(ON_BOARD, local_status=UNPUBLISHED), 65,
        ([], [replace(GOAL_GONE, restore_status=UNPUBLISHED, public_since=5)]),
    ),
    "scheduled": (
        SEEN, replace(ON_BOARD, scheduled=True), 65,
        ([replace(ON_BOARD, scheduled=True, local_status=UNPUBLISHED)], [replace(GOAL_GONE, restore_status=PUBLISHED)]),
    ),
    "withdrawn before": (GOAL_GONE, replace(ON_BOARD, local_status=UNPUBLISHED), 65, NOTHING),
    "withdrawn before and published by a person": (GOAL_GONE, ON_BOARD, 65, NOTHING),
    "a note already": (NOTED, NOTED_POST, 0, NOTHING),
    "a note that a person has hidden": (
        NOTED, replace(NOTED_POST, local_status=UNPUBLISHED), 65, ([], [replace(NOTED, by_person=True)]),
    ),
    "a note that our terms have hidden": (
        replace(NOTED, said_status=UNPUBLISHED), replace(NOTED_POST, local_status=UNPUBLISHED), 65,
        ([NOTED_POST], [replace(NOTED, public_since=65)]),
    ),
    "a person's goal": (
        SEEN, OWN_GOAL, 65, ([replace(OWN_GOAL, local_status=UNPUBLISHED)], [GOAL_GONE]),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("line", "stands", "now", "written"), TAKEN_BACK.values(), ids=TAKEN_BACK.keys())
def test_a_goal_that_readers_have_seen_long_enough_becomes_a_note(line, stands, now, written):
    events, entries = written
    assert decide([], line, stands, notes=NOTES, now=now) == Changes(events=tuple(events), entries=tuple(entries))


CARD = replace(post_of(incident("soccer.yellow-card", side="home", people=involved(player=GORETZKA))), key="a")
NO_NOTES = {
    "nobody wants any": (SEEN, ON_BOARD, replace(NOTES, silent=True)),
    "a type that leaves none": (
        replace(LINE, kind="soccer.yellow-card", said=CARD.document), replace(STANDS, document=CARD.document), NOTES,
    ),
}  # fmt: skip


@pytest.mark.parametrize(("line", "stands", "notes"), NO_NOTES.values(), ids=NO_NOTES.keys())
def test_what_leaves_no_note_is_withdrawn(line, stands, notes):
    hidden, gone = replace(stands, local_status=UNPUBLISHED), replace(WITHDRAWN_LINE, kind=line.kind, said=line.said)
    assert decide([], line, stands, notes=notes, now=65) == Changes(events=(hidden,), entries=(gone,))


HIDES = {
    "the goals are excluded": {"exclude_events": frozenset({"soccer.goal"})},
    "notes are excluded": {"exclude_events": frozenset({"soccer.disallowed-goal"})},
    "nothing is posted automatically": {"auto_post": False},
}


@pytest.mark.parametrize("notes", [*(Notes(terms(**each), after=60) for each in HIDES.values()), replace(NOTES, silent=True)],
                         ids=[*HIDES, "silent"])  # fmt: skip
def test_a_note_that_our_terms_want_no_more_is_a_draft(notes):
    """A person's stays, and one that is hidden already costs nothing."""
    hidden = replace(NOTED_POST, local_status=UNPUBLISHED)
    line = replace(NOTED, said_status=UNPUBLISHED, public_since=None)
    theirs = replace(NOTED, by_person=True)

    assert decide([], NOTED, NOTED_POST, notes=notes) == Changes(events=(hidden,), entries=(line,))
    assert decide([], line, hidden, notes=notes) == Changes()
    assert decide([], theirs, NOTED_POST, notes=notes).events == ()


def test_a_goal_that_comes_back_is_no_note_any_more():
    """With the text that the provider gives it."""
    changes = decide([GOAL], NOTED, NOTED_POST, notes=NOTES)
    assert changes == Changes(events=(ON_BOARD,), entries=(SEEN,))


HEARD = {
    "a post that stands": (LINE, STANDS, State.POSTED),
    "a hidden post": (LINE, HIDDEN, State.POSTED),
    "a deleted post": (LINE, replace(STANDS, local_status=DELETED), State.GONE),
    "a post that is not there": (LINE, None, State.GONE),
    "a note": (NOTED, NOTED_POST, State.DISALLOWED),
    "a hidden note": (NOTED, replace(NOTED_POST, local_status=UNPUBLISHED), State.GONE),
    "a note that our terms have hidden": (
        replace(NOTED, said_status=UNPUBLISHED),
        replace(NOTED_POST, local_status=UNPUBLISHED),
        State.DISALLOWED,
    ),
    "a deleted note": (NOTED, replace(NOTED_POST, local_status=DELETED), State.GONE),
}


@pytest.mark.parametrize(("line", "stands", "state"), HEARD.values(), ids=HEARD.keys())
def test_a_hidden_note_is_as_good_as_deleted(line, stands, state):
    assert with_deletion(line, stands) == replace(line, state=state)
