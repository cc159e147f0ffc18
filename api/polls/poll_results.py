"""Results of polls and quizzes as every reader gets them: HTML on pages and in feeds, JSON in streams."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape

from sqlalchemy import Connection

from api.http.errors import json_bytes
from api.http.json_path import Json, at, node, nodes, number, text
from api.view.liveblog_access import public_documents
from mapping.locales import Translator
from mapping.locales.labels import PERCENT, VOTES, PollText
from mapping.polls.reader_polls import ReaderPoll, is_poll, reader_poll, results
from store.polls import votes

SAID = {
    "vote": PollText.VOTE,
    "change": PollText.CHANGE,
    "withdraw": PollText.WITHDRAW,
    "counted": PollText.COUNTED,
    "removed": PollText.REMOVED,
    "right": PollText.RIGHT,
    "wrong": PollText.WRONG,
    "correct": PollText.CORRECT,
    "chosen": PollText.CHOSEN,
    "failed": PollText.FAILED,
    "shut": PollText.CLOSED,
}
"""What the script says, by the name of the attribute."""


RESULTS = "_results_by_poll"
"""Where a rendered poll finds its results: a field that no client can set."""


def poll_block(block: Json, texts: Translator) -> str:
    """The poll with its results, which its script makes something to vote on; "" for a block of another kind."""
    return poll_html(block, texts) if is_poll(block) else ""


def poll_feed_block(block: Json, post_url: str, texts: Translator) -> str:
    """The question, the options and a link to the post, where votes and results are; "" for a block of another kind."""
    question, options = text(block, "question"), [text(each, "text") for each in nodes(block, "options")]
    if not question or not is_poll(block):
        return ""
    items = "".join(f"<li>{escape(each)}</li>" for each in options if each)
    link = f'<p><a href="{escape(post_url)}">{escape(texts.text(PollText.LINK))}</a></p>' if items else ""
    return f"<p><strong>{escape(question)}</strong></p><ul>{items}</ul>{link}"


def poll_html(block: Json, texts: Translator) -> str:
    """The block of a public post with its results as HTML; empty for one that nobody can vote on."""
    results = node(block, RESULTS)
    if not results:
        return ""
    question = escape(text(results, "question"))
    options = "".join(_option(each, texts) for each in nodes(results, "options"))
    return (
        f'<section class="poll" data-poll="{escape(text(results, "id"))}"{_facts(results)}{_texts_for_script(texts)}>'
        f'<p class="question" dir="auto">{question}</p><ul>{options}</ul>'
        f'<p class="total">{escape(total(results, texts))}</p><p class="said" role="status"></p></section>'
    )


def total(results: Json, texts: Translator) -> str:
    """How many votes there are, and that there can be no more, as far as readers may know."""
    votes = number(results, "total_votes")
    counted = "" if votes is None else texts.plural(*VOTES, votes)
    closed = texts.text(PollText.CLOSED) if at(results, "closed") else ""
    return " · ".join(filter(None, (counted, closed)))


def _option(option: Json, texts: Translator) -> str:
    """The share stands as a bar and as text, both empty where readers may not see it."""
    percent = number(option, "percent")
    known = percent is not None
    share = escape(texts.text(PERCENT, percent=percent)) if known else ""
    hidden = "" if known else " hidden"
    return (
        f'<li data-option="{escape(text(option, "id"))}"><span class="choice" dir="auto">{escape(text(option, "text"))}</span>'
        f'<meter min="0" max="100" value="{percent or 0}" aria-hidden="true"{hidden}></meter>'
        f'<b class="share">{share}</b></li>'
    )


def _facts(results: Json) -> str:
    facts = {
        "version": number(results, "version") or 0,
        "closed": int(bool(at(results, "closed"))),
        "multiple": int(bool(at(results, "multiple"))),
        "quiz": int(bool(at(results, "quiz"))),
        "results": text(results, "results"),
        "closes": number(results, "closes_at") or "",
    }
    return "".join(f' data-{name}="{escape(str(each))}"' for name, each in facts.items())


def _texts_for_script(texts: Translator) -> str:
    """In the language of the liveblog; the script puts its own number in the place of the 2, and its own share of the 50."""
    said = {name: texts.text(label) for name, label in SAID.items()}
    said |= {
        "one": texts.plural(*VOTES, 1),
        "several": texts.plural(*VOTES, 2),
        "percent": texts.text(PERCENT, percent=50),
    }
    return "".join(f' data-{name}="{escape(each)}"' for name, each in said.items())


def with_results(conn: Connection, game_id: str, posts: Sequence[Json], now: float) -> list[Json]:
    """The public posts of a liveblog, whose polls carry their results; `now` in Unix seconds decides which are closed."""
    found = _results_by_poll(conn, game_id, posts, now)
    return [_with_blocks(post, found) for post in posts]


def results_of(conn: Connection, game_id: str, ids: Iterable[str], now: float) -> dict[str, bytes]:
    """The results of those of these polls that readers may see, as JSON by poll."""
    wanted = list(ids)
    events = {each.local_id: each for name in wanted if (each := votes.poll_event(conn, name)) is not None}
    posts = public_documents([each for each in events.values() if each.game_id == game_id])
    found = _results_by_poll(conn, game_id, posts, now)
    return {name: json_bytes(found[name]) for name in wanted if name in found}


def _results_by_poll(conn: Connection, game_id: str, posts: Iterable[Json], now: float) -> dict[str, Json]:
    polls = dict(_polls(posts))
    tallies = votes.tallies(conn, game_id, list(polls))
    return {
        name: results(poll, tallies[name], event_version=version, now=now, shown=poll.shows_results(now, voted=False))
        for name, (poll, version) in polls.items()
    }


def _polls(posts: Iterable[Json]) -> Iterable[tuple[str, tuple[ReaderPoll, int]]]:
    """Each poll by its id, with the version of its post."""
    for post in posts:
        for block in nodes(post, "contents"):
            if is_poll(block) and (poll := reader_poll(block)) is not None:
                yield poll.id, (poll, number(post, "version") or 0)


def _with_blocks(post: Json, found: Mapping[str, Json]) -> Json:
    blocks = nodes(post, "contents")
    if not any(is_poll(each) for each in blocks):
        return post
    shown = [{**each, RESULTS: found.get(str(each.get("local_id")))} if is_poll(each) else each for each in blocks]
    return {**post, "contents": shown}
