"""The reconciler: wanted posts against a ledger, by a match that is believed and that takes back and gives again."""

from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mapping.documents.scalars import LocalStatus
from mapping.posts import Post
from mapping.reconcile import State, Stored, reconcile


def post(key, words="as it was", *, kind="soccer.goal", draft=False, source="play", waits=False):
    document = {"headline": words, "contents": [], "sport_event": {"event_type": kind, "players": []}}
    return Post(key=key, kind=kind, document=document, draft=draft or waits, source=source, waits=waits)


class Liveblog:
    """The ledger and the events of one liveblog, as the store would hold them."""

    def __init__(self):
        self.ledger, self.events = {}, {}
        self._ids = count(1)
        self.writes = 0

    def sees(self, *wanted, closing=False, editorial=False):
        """Apply what is believed of the match."""
        new_id = lambda: f"e{next(self._ids)}"  # noqa: E731
        changes = reconcile(wanted, self.ledger, self.events, new_id=new_id, closing=closing, editorial=editorial)
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


def test_an_incident_that_is_not_believed_any_more_is_withdrawn(liveblog):
    """Its post is unpublished, once; the others stay."""
    liveblog.sees(post("a"), post("b"))
    liveblog.sees(post("a"))
    again = liveblog.sees(post("a"))

    assert {"a"} == liveblog.posted
    assert () == again.events == again.entries
    assert State.WITHDRAWN is liveblog.ledger["b"].state


def test_a_goal_that_is_reinstated_comes_back_under_its_id(liveblog):
    """Withdrawn, then given after all: the same post, published again."""
    liveblog.sees(post("a"))
    name = liveblog.ledger["a"].local_id
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
    liveblog.sees(closing=True)

    assert LocalStatus.UNPUBLISHED == liveblog.status("a")
    assert "withdrawn by the provider" == liveblog.ledger["a"].reason
    assert "my words" == liveblog.events[liveblog.ledger["a"].local_id].document["headline"]


def test_what_stayed_withdrawn_is_deleted_when_the_window_closes(liveblog):
    """Until then it may return; afterwards it is gone for good."""
    liveblog.sees(post("a"), post("b"))
    liveblog.sees(post("a"))
    liveblog.sees(post("a"), closing=True)

    assert LocalStatus.DELETED == liveblog.status("b")
    assert {"a"} == liveblog.posted


def test_a_withdrawn_post_that_an_editor_publishes_stays_published(liveblog):
    """The editor saw the reason and decided otherwise."""
    liveblog.sees(post("a"))
    liveblog.sees()
    liveblog.edit("a", status=LocalStatus.PUBLISHED)
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
    assert LocalStatus.UNPUBLISHED == liveblog.status("a")
    liveblog.sees(post("a", draft=True))
    assert LocalStatus.PUBLISHED == liveblog.status("a")


def test_changed_filters_apply_to_what_was_imported(liveblog):
    """A type that is no longer excluded is published, a newly excluded one becomes a draft."""
    liveblog.sees(post("a", draft=True), post("b"))
    liveblog.sees(post("a"), post("b", draft=True))

    assert {"a"} == liveblog.posted


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


def test_a_draft_is_not_published_while_posts_wait_for_an_editor(liveblog):
    """That its event type is posted automatically now changes nothing about it, not even later."""
    liveblog.sees(post("a", draft=True))
    liveblog.sees(post("a"), editorial=True)
    liveblog.sees(post("a"))

    assert set() == liveblog.posted


def test_what_waits_for_the_other_source_says_so_and_is_published_by_itself(liveblog):
    """It is a draft with a reason of its own, also once a person has changed its words."""
    liveblog.sees(post("a", waits=True), post("b", draft=True))
    assert {key: each.reason for key, each in liveblog.ledger.items()} == {
        "a": "waits for the other source",
        "b": "draft",
    }
    assert liveblog.posted == set()
    liveblog.edit("a", headline="Mine")
    liveblog.sees(post("a", waits=True), post("b", draft=True))
    assert liveblog.ledger["a"].reason == "waits for the other source"
    liveblog.sees(post("a"), post("b", draft=True))
    assert (liveblog.posted, liveblog.ledger["a"].reason) == ({"a"}, "")


def test_what_is_public_does_not_wait_any_more(liveblog):
    """The other source has lost it again, or never had it: readers keep it. A person may take it back all the same."""
    liveblog.sees(post("a"), post("b"))
    liveblog.edit("b", status=LocalStatus.UNPUBLISHED)
    liveblog.sees(post("a", waits=True), post("b", waits=True))
    assert (liveblog.posted, liveblog.ledger["a"].reason) == ({"a"}, "")
    liveblog.sees()
    liveblog.sees(post("a", waits=True))
    assert liveblog.posted == set(), "what was taken back comes back by both"


def test_what_a_person_has_published_before_the_other_source_had_it_stays_so(liveblog):
    liveblog.sees(post("a", waits=True))
    liveblog.edit("a", status=LocalStatus.PUBLISHED)
    liveblog.sees(post("a", waits=True))
    liveblog.sees(post("a"))
    assert liveblog.posted == {"a"}
