"""What waits for a person, of all liveblogs of an organization: lost providers, what sources disagree about, drafts, comments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sqlalchemy import Connection

from api.desk.comments_page import WaitingComment, count_waiting, waiting_comments
from api.desk.match_lines import LineMaker
from api.desk.match_overview import MatchVerdict, Sight, judge
from api.desk.shared_texts import disagreement_texts
from api.view.post_content import headline
from mapping.desk.match_trouble import Trouble
from mapping.locales import msgid
from store.following import overview
from store.following.rule_standbys import StandbyQuestion, open_standby_questions

KINDS = {
    "lost": msgid("Lost providers"),
    "ask": msgid("Disagreements"),
    "swap": msgid("Backups"),
    "same": msgid("Same match?"),
    "pen": msgid("Drafts"),
    "say": msgid("Comments"),
}
"""Kinds of what waits, the most urgent first, and what they are called."""
LOST = frozenset({Trouble.REFUSED, Trouble.LOST, Trouble.STANDING_STILL, Trouble.SILENT})
SOME = 25
"""Of each kind on one page."""
OTHERS = 50
"""Liveblogs without a match whose drafts wait here: the newest ones."""


class WaitingFilter(NamedTuple):
    """What is listed: one kind, or a page of all where it is empty."""

    kind: str = ""
    page: int = 1

    def takes(self, kind: str) -> bool:
        return self.kind in {"", kind}


class Answer(NamedTuple):
    """A button: the field and value that it sends, its words and key, and what undoes it."""

    name: str
    value: str
    words: str
    key: str
    undo: str = ""


class WaitingItem(NamedTuple):
    """One thing that waits. `about` is its beginning in bold; `edit`: the post that is edited in the liveblog."""

    kind: str
    id: str
    liveblog: str
    title: str
    about: str
    words: str
    answers: Sequence[Answer]
    edit: str = ""


class Queue(NamedTuple):
    """A page: its items, how many there are of each kind at least, and whether there are more."""

    items: Sequence[WaitingItem]
    counts: Mapping[str, str]
    more: bool


def read_queue(
    conn: Connection, maker: LineMaker, sight: Sight, wanted: WaitingFilter, *, with_comments: bool
) -> Queue:
    """The page that is wanted. A bounded number of statements, each of which reads no more than it shows."""
    verdicts, _ = judge(conn, sight)
    others = overview.other_liveblogs(conn, sight.organization_id, "", limit=OTHERS, offset=0)
    drafts = {each.followed.game_id: each.followed.drafts for each in verdicts if each.followed.drafts}
    drafts |= {game.id: count for game, count in others if count}
    offset = (wanted.page - 1) * SOME
    found: dict[str, list[WaitingItem]] = {
        "lost": [_lost(maker, each) for each in verdicts if LOST & {*each.troubles}],
        "ask": [item for each in verdicts if each.sources for item in _disagreements(maker, each)],
        "swap": [_backup(maker, each) for each in verdicts if Trouble.STANDBY_LEADS in each.troubles],
    }
    found = {kind: items[offset : offset + SOME + 1] for kind, items in found.items()} | {
        "same": [],
        "pen": [],
        "say": [],
    }
    totals = {kind: len(items) for kind, items in found.items()}
    if wanted.takes("same"):
        questions = open_standby_questions(conn, sight.organization_id, SOME + 1, offset=offset)
        titles = (
            overview.titles_of(conn, sight.organization_id, [each.local_id for each in questions]) if questions else {}
        )
        found["same"] = [_same(maker, each, titles) for each in questions]
    if wanted.takes("pen") and drafts:
        posts = overview.waiting_posts(conn, drafts, limit=SOME + 1, offset=offset)
        found["pen"] = [_draft(maker, each) for each in posts]
    if wanted.takes("say") and with_comments and not offset:
        found["say"] = [_comment(maker, each) for each in waiting_comments(conn, sight.organization_id, SOME)]
    shown = {kind: items for kind, items in found.items() if wanted.takes(kind)}
    counts = {kind: f"{totals[kind]}" for kind in ("lost", "ask", "swap")} | {"pen": f"{sum(drafts.values())}"}
    if with_comments:
        counts["say"] = count_waiting(conn, sight.organization_id)
    items = [item for each in shown.values() for item in each[:SOME]]
    return Queue(items, counts, any(len(each) > SOME for each in shown.values()))


def _of(
    kind: str, seen: MatchVerdict, about: str, words: str, answers: Sequence[Answer], *, more: str = ""
) -> WaitingItem:
    name = seen.followed.local_id
    return WaitingItem(kind, f"{kind} {name} {more}".strip(), name, seen.followed.title, about, words, answers)


def _lost(maker: LineMaker, seen: MatchVerdict) -> WaitingItem:
    text, name = maker.page.text, seen.followed.local_id
    said = [maker.trouble(seen, each) for each in seen.troubles if each in LOST]
    answers = [
        Answer("byhand", name, text("Set the score by hand"), "1", f"byprovider={name}"),
        Answer("backup", name, text("Add backup"), "2"),
    ]
    return _of("lost", seen, " · ".join(said) + ".", seen.followed.provider, answers)


def _disagreements(maker: LineMaker, seen: MatchVerdict) -> list[WaitingItem]:
    """One for each thing. The score is answered here: its source leads from then on; all else in the liveblog."""
    name, items = seen.followed.local_id, []
    for found in () if seen.sources is None else seen.sources.disagreements:
        (words,) = disagreement_texts(maker.page.texts, [found])
        answers = [
            Answer("pin", f"{name} {provider}", f"{said} {provider}", str(key), f"pin={name} auto")
            for key, (provider, said) in enumerate(found["said"].items(), 1)
            if found["about"] == "score"
        ]
        items.append(_of("ask", seen, maker.page.text("Which is right?"), words, answers, more=found["about"]))
    return items


def _backup(maker: LineMaker, seen: MatchVerdict) -> WaitingItem:
    text, name = maker.page.text, seen.followed.local_id
    leads = "" if seen.sources is None else seen.sources.provider
    first = seen.followed.provider
    answers = [
        Answer("pin", f"{name} {first}", text("Back to {provider}", provider=first), "1", f"pin={name} auto"),
        Answer("pin", f"{name} {leads}", text("Stay on {provider}", provider=leads), "2", f"pin={name} auto"),
    ]
    return _of("swap", seen, maker.trouble(seen, Trouble.STANDBY_LEADS) + ".", "", answers)


def _same(maker: LineMaker, question: StandbyQuestion, titles: Mapping[str, str]) -> WaitingItem:
    """Which match of another provider is the liveblog's: each that may be it is an answer."""
    answers = [
        Answer("same", f"{question.local_id} {question.provider} {each['matchId']}", _named(each), str(key))
        for key, each in enumerate(question.candidates[:8], 1)
    ]
    answers.append(Answer("same", f"{question.local_id} {question.provider} ", maker.page.text("None of them"), "9"))
    about = maker.page.text("Which match of {provider} is the same?", provider=question.provider)
    title = titles.get(question.local_id, question.local_id)
    return WaitingItem(
        "same", f"same {question.local_id} {question.provider}", question.local_id, title, about, "", answers
    )


def _named(listed: Mapping[str, object]) -> str:
    sides = [side.get("name", "") for side in (listed.get("home"), listed.get("away")) if isinstance(side, dict)]
    return " – ".join(map(str, sides)) or str(listed.get("title") or listed.get("matchId"))


def _draft(maker: LineMaker, post: overview.WaitingPost) -> WaitingItem:
    text, value = maker.page.text, f"{post.local_id} {post.version}"
    answers = [
        Answer("publish", value, text("Publish"), "p", f"hold={post.local_id}"),
        Answer("discard", value, text("Discard"), "x"),
    ]
    words = headline(dict(post.document), maker.page.texts.locale)
    return WaitingItem("pen", post.local_id, post.liveblog, post.title, text("Draft."), words, answers, post.local_id)


def _comment(maker: LineMaker, waiting: WaitingComment) -> WaitingItem:
    text, comment = maker.page.text, waiting.comment
    answers = [
        Answer("approve", comment.id, text("Approve"), "a", f"wait={comment.id}"),
        Answer("reject", comment.id, text("Reject"), "r", f"wait={comment.id}"),
        Answer("ban", comment.reader_id, text("Ban the reader"), "b", f"unban={comment.reader_id}"),
    ]
    about = f"{comment.author_name or text('No name')}:"
    return WaitingItem("say", comment.id, waiting.liveblog, waiting.title, about, comment.text, answers)
