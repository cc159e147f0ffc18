"""The reconciler: wanted posts against a ledger, by answers of a provider that takes back and gives again."""

from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mapping.documents.scalars import LocalStatus
from mapping.posts import Post
from mapping.reconcile import State, Stored, reconcile

GOOD = frozenset({"play", "text"})


def post(key, words="as it was", *, kind="soccer.goal", draft=False, source="play", player=None):
    players = [{"player": {"_id": player}}] if player else []
    document = {"headline": words, "contents": [], "sport_event": {"event_type": kind, "players": players}}
    return Post(key=key, kind=kind, document=document, draft=draft, source=source)


class Liveblog:
    """The ledger and the events of one liveblog, as the store would hold them."""

    def __init__(self):
        self.ledger, self.events = {}, {}
        self._ids = count(1)
        self.writes = 0

    def sees(self, *wanted, good=GOOD, closing=False):
        """Apply what the provider says in one good answer."""
        changes = reconcile(
            wanted, self.ledger, self.events, good=good, new_id=lambda: f"e{next(self._ids)}", closing=closing
        )
        self.ledger |= {entry.key: entry for entry in changes.entries}
        self.events |= {event.local_id: event for event in changes.events}
        self.writes += len(changes.events)
        return changes

    def edit(self, key, *, status=None, **fields):
        """What an editor does to a post."""
        event = self.events[self.ledger[key].local_id]
        self.events[event.local_id] = Stored(
            local_id=event.local_id,
            document={**event.document, **fields},
            local_status=event.local_status if status is None else status,
        )

    def status(self, key):
        return self.events[self.ledger[key].local_id].local_status

    @property
    def posted(self):
        return {key for key in self.ledger if self.status(key) == LocalStatus.PUBLISHED}


@pytest.fixture
def liveblog():
    return Liveblog()


def test_the_same_answer_twice_posts_once(liveblog):
    """Reconciling again with the same match writes nothing."""
    liveblog.sees(post("a"), post("b"))
    changes = liveblog.sees(post("a"), post("b"))

    assert {"a", "b"} == liveblog.posted
    assert () == changes.events == changes.entries


def test_a_correction_edits_the_post_it_corrects(liveblog):
    """The same local_id carries the provider's new word."""
    liveblog.sees(post("a"))
    name = liveblog.ledger["a"].local_id
    liveblog.sees(post("a", "corrected"))

    assert [name] == list(liveblog.events)
    assert "corrected" == liveblog.events[name].document["headline"]


def test_an_incident_is_withdrawn_when_two_good_answers_lack_it(liveblog):
    """Once may be a hiccup: the first good answer without it only raises a doubt."""
    liveblog.sees(post("a"), post("b"))
    first = liveblog.sees(post("a"))
    assert {"a", "b"} == liveblog.posted
    assert first.pending

    second = liveblog.sees(post("a"))
    assert {"a"} == liveblog.posted
    assert not second.pending
    assert State.WITHDRAWN is liveblog.ledger["b"].state


def test_an_answer_that_failed_confirms_nothing(liveblog):
    """A resource that did not answer well says nothing about what is missing."""
    liveblog.sees(post("a"))
    for _ in range(5):
        liveblog.sees(good=frozenset())
        liveblog.sees(good=frozenset({"text"}))

    assert {"a"} == liveblog.posted


def test_an_incident_that_returns_in_between_is_no_longer_doubted(liveblog):
    """Missing once, there again, missing once: never withdrawn."""
    liveblog.sees(post("a"))
    for _ in range(3):
        liveblog.sees()
        liveblog.sees(post("a"))

    assert {"a"} == liveblog.posted
    assert 1 == liveblog.writes


def test_a_goal_that_is_reinstated_comes_back_under_its_id(liveblog):
    """Withdrawn, then given after all: the same post, published again."""
    liveblog.sees(post("a"))
    name = liveblog.ledger["a"].local_id
    liveblog.sees()
    liveblog.sees()
    assert LocalStatus.UNPUBLISHED == liveblog.events[name].local_status

    liveblog.sees(post("a", "reinstated"))
    assert LocalStatus.PUBLISHED == liveblog.events[name].local_status
    assert "reinstated" == liveblog.events[name].document["headline"]
    assert [name] == list(liveblog.events)


def test_a_deleted_post_never_returns(liveblog):
    """What an editor deleted stays deleted, whatever the provider says later."""
    liveblog.sees(post("a"))
    liveblog.edit("a", status=LocalStatus.DELETED)
    writes = liveblog.writes
    liveblog.sees(post("a", "corrected"))
    liveblog.sees()
    liveblog.sees()
    liveblog.sees(post("a", "again"))

    assert LocalStatus.DELETED == liveblog.status("a")
    assert writes == liveblog.writes


def test_a_post_that_an_editor_hid_stays_hidden_and_follows(liveblog):
    """Hiding is a word about the status alone; the rest of the post is still corrected."""
    liveblog.sees(post("a"))
    liveblog.edit("a", status=LocalStatus.UNPUBLISHED)
    liveblog.sees(post("a", "corrected"))

    assert LocalStatus.UNPUBLISHED == liveblog.status("a")
    assert "corrected" == liveblog.events[liveblog.ledger["a"].local_id].document["headline"]


def test_an_edited_post_whose_incident_vanishes_is_hidden_and_kept(liveblog):
    """It is hidden with the reason in the ledger, keeps the editor's words, and is never deleted by the sync."""
    liveblog.sees(post("a"))
    liveblog.edit("a", headline="my words")
    liveblog.sees()
    liveblog.sees()
    liveblog.sees(closing=True)

    assert LocalStatus.UNPUBLISHED == liveblog.status("a")
    assert "withdrawn by the provider" == liveblog.ledger["a"].reason
    assert "my words" == liveblog.events[liveblog.ledger["a"].local_id].document["headline"]


def test_what_stayed_withdrawn_is_deleted_when_the_window_closes(liveblog):
    """Until then it may return; afterwards it is gone for good."""
    liveblog.sees(post("a"), post("b"))
    liveblog.sees(post("a"))
    liveblog.sees(post("a"))
    liveblog.sees(post("a"), closing=True)

    assert LocalStatus.DELETED == liveblog.status("b")
    assert {"a"} == liveblog.posted


def test_a_withdrawn_post_that_an_editor_publishes_stays_published(liveblog):
    """The editor saw the reason and decided otherwise."""
    liveblog.sees(post("a"))
    liveblog.sees()
    liveblog.sees()
    liveblog.edit("a", status=LocalStatus.PUBLISHED)
    liveblog.sees()
    liveblog.sees()

    assert LocalStatus.PUBLISHED == liveblog.status("a")


def test_drafts_are_hidden_until_an_editor_publishes_them(liveblog):
    """An excluded type is imported and offered; published by a person it stays so, withdrawn and back too."""
    liveblog.sees(post("a", draft=True))
    assert LocalStatus.UNPUBLISHED == liveblog.status("a")

    liveblog.edit("a", status=LocalStatus.PUBLISHED)
    liveblog.sees(post("a", "corrected", draft=True))
    assert LocalStatus.PUBLISHED == liveblog.status("a")

    liveblog.sees()
    liveblog.sees()
    assert LocalStatus.UNPUBLISHED == liveblog.status("a")
    liveblog.sees(post("a", draft=True))
    assert LocalStatus.PUBLISHED == liveblog.status("a")


def test_changed_filters_apply_to_what_was_imported(liveblog):
    """A type that is no longer excluded is published, a newly excluded one becomes a draft."""
    liveblog.sees(post("a", draft=True), post("b"))
    liveblog.sees(post("a"), post("b", draft=True))

    assert {"a"} == liveblog.posted


def test_a_first_yellow_that_vanishes_after_the_second_stays(liveblog):
    """HEIM:SPIEL drops the first yellow card minutes after a yellow-red; the post stays."""
    yellow = post("y", kind="soccer.yellow-card", player="p1")
    second = post("yr", kind="soccer.yellow-red-card", player="p1")
    other = post("o", kind="soccer.yellow-card", player="p2")
    liveblog.sees(yellow, other)
    for _ in range(4):
        liveblog.sees(second)

    assert {"y", "yr"} == liveblog.posted


def test_standalone_text_waits_for_its_own_source(liveblog):
    """A text that is missing while only the match answered well is not missing yet."""
    liveblog.sees(post("t", kind="text", source="text"))
    for _ in range(3):
        liveblog.sees(good=frozenset({"play"}))
    assert {"t"} == liveblog.posted

    liveblog.sees()
    liveblog.sees()
    assert set() == liveblog.posted


@given(st.lists(st.sets(st.sampled_from("abcd")), min_size=1, max_size=12))
def test_two_equal_last_answers_settle_everything(responses):
    """Whatever came before: after the last answer twice, what is posted is what the response holds, each once."""
    liveblog = Liveblog()
    for keys in [*responses, responses[-1]]:
        liveblog.sees(*(post(key) for key in sorted(keys)))

    assert responses[-1] == liveblog.posted
    assert len(liveblog.ledger) == len(liveblog.events)
