"""What holds after every commit, whatever has happened, and what holds at the end. Read from the tables, not through the store."""

import json
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Any

from tests.kit.scripted import board, says
from tests.simulation.simulated_provider import Course
from tests.simulation.simulated_receivers import SimulatedReceivers

Minute = str
"""As posts say it: `46'`."""

DESK = "desk"
"""In whose name editors write: they need no lease."""


class Violation(AssertionError):
    """A promise is broken."""


def require(holds: object, promise: str, *details: object) -> None:
    if not holds:
        raise Violation(" ".join([promise, *map(str, details)]))


def promise(violation: str) -> str:
    """The promise that a violation breaks, without its details."""
    return violation.partition(":")[0]


class Invariants:
    """Compares the database after each commit with what it was before, and with what provider and receivers have seen."""

    def __init__(self, raw: sqlite3.Connection, receivers: SimulatedReceivers) -> None:
        self._raw = raw
        self._receivers = receivers
        self._versions: dict[str, int] = {}
        self._fences: dict[str, tuple[int, str]] = {}
        """Of each match: its fence, and the process that leased it last."""
        self._public: dict[str, dict[str, Minute]] = defaultdict(dict)
        self._created_with: dict[str, set[str]] = {}
        """The first posts of each liveblog, until its follower first wrote: they are from an answer that only the importer had."""
        self._answers: dict[str, list[frozenset[Minute]]] = defaultdict(list)
        """Of each match: the minutes of the incidents in the good answers, in the order in which they came."""
        self._answered: dict[tuple[str, Minute], int] = {}
        """How many answers of a match had come before the one with which an incident of it first became public, in any liveblog."""
        self._headlines: dict[str, str] = {}
        """What editors have written over posts, by `local_id`."""
        self._deleted: set[tuple[str, str]] = set()
        """Liveblog and key of the posts that editors have deleted."""
        self._begun: dict[str, int] = {}
        """From which number on a subscription is to have everything."""

    def answered(self, match_id: str, minutes: frozenset[Minute]) -> None:
        """The provider has answered in full."""
        self._answers[match_id].append(minutes)

    def edited(self, local_id: str, headline: str) -> None:
        """An editor is about to give the post this headline, in a unit of `DESK`."""
        self._headlines[local_id] = headline

    def deleted(self, game_id: str, local_id: str) -> None:
        """An editor is about to delete the post, in a unit of `DESK`."""
        self._deleted |= {(game_id, key) for name, key in self._keys(game_id).items() if name == local_id}

    def arrived(self, game_id: str, version: int) -> None:
        """A version has reached a receiver."""
        (shown,) = self._raw.execute("SELECT version FROM games WHERE id = ?", (game_id,)).fetchone()
        require(version <= shown, "a version was delivered that nobody can read:", game_id, version, shown)

    def committed(self, process: str, touched: Mapping[str, int]) -> None:
        """A unit of this process was committed, in which these liveblogs stepped."""
        self._leases(process, touched)
        self._steps()
        for game_id in touched:
            self._posts(game_id, by_editor=process == DESK)
            self._editors(game_id)
        self._cursors()

    def _leases(self, process: str, touched: Mapping[str, int]) -> None:
        """Whoever leased a match last is the only one that writes for it."""
        for match, fence in self._raw.execute("SELECT id, fence FROM follows").fetchall():
            before, _ = self._fences.get(match, (0, ""))
            require(fence >= before, "a fence went back:", match, before, fence)
            if fence != before:
                self._fences[match] = fence, process
        known = [game_id for game_id in touched if game_id in self._versions]  # whoever creates one needs no lease
        for game_id in known if process != DESK else ():
            query = "SELECT follow_id FROM attachments WHERE game_id = ?"
            for (match,) in self._raw.execute(query, (game_id,)).fetchall():
                _, owner = self._fences.get(match, (0, process))
                require(owner == process, "two processes write for one match:", match, owner, process)

    def _steps(self) -> None:
        """Versions only rise, and each stands in the outbox, once."""
        for game_id, version, rows, newest in self._raw.execute(
            "SELECT games.id, games.version, count(outbox.id), max(outbox.version)"
            " FROM games LEFT JOIN outbox ON outbox.game_id = games.id GROUP BY games.id"
        ).fetchall():
            before = self._versions.get(game_id, 0)
            require(version >= before, "a version went back:", game_id, before, version)
            require(newest == version and rows == version, "a version is not in the outbox:", game_id, version, rows)
            self._versions[game_id] = version

    def _posts(self, game_id: str, *, by_editor: bool) -> None:
        """No incident is posted twice, each post has its row in the ledger, none is withdrawn for one answer without it."""
        public = posts(self._raw, game_id)
        twice = [minute for minute, number in Counter(public.values()).items() if number > 1]
        require(not twice, "an incident was posted twice:", game_id, *twice)
        require(public.keys() <= self._keys(game_id).keys(), "a post is not in the ledger:", game_id)
        match = self._match_of(game_id)
        answers = self._answers[match]
        created = game_id not in self._public
        first = self._created_with.setdefault(game_id, set(public))
        for minute in public.values():
            self._answered.setdefault((match, minute), max(len(answers) - 1, 0))
        for local_id, minute in self._public[game_id].items():
            if local_id not in public and local_id not in first and not by_editor:
                since = self._answered[match, minute]
                without = [each for each in answers[since:] if minute not in each]
                require(len(without) > 1, "a post was withdrawn for one answer:", game_id, minute)
        if not by_editor and not created:
            first.clear()
        self._public[game_id] = public

    def _editors(self, game_id: str) -> None:
        """What an editor wrote stands, and what one deleted is gone, under any name."""
        for key, post in keyed_posts(self._raw, game_id).items():
            require((game_id, key) not in self._deleted, "a deleted post is back:", game_id, key)
            headline = self._headlines.get(post["local_id"], post["headline"])
            require(post["headline"] == headline, "an editor's headline was overwritten:", game_id, key, headline)

    def _keys(self, game_id: str) -> dict[str, str]:
        """`local_id` → key of the posts in the ledger."""
        query = "SELECT local_id, key FROM ledger WHERE game_id = ? AND local_id IS NOT NULL"
        return dict(self._raw.execute(query, (game_id,)).fetchall())

    def _match_of(self, game_id: str) -> str:
        query = "SELECT follows.match_id FROM follows JOIN attachments ON follow_id = follows.id WHERE game_id = ?"
        found = self._raw.execute(query, (game_id,)).fetchone()
        return str(found[0]) if found else ""

    def _cursors(self) -> None:
        """No cursor passes a version that its receiver has neither accepted nor will be sent again."""
        for webhook, url, cursor in self._raw.execute("SELECT id, url, cursor FROM webhooks").fetchall():
            begun = self._begun.setdefault(webhook, cursor)
            query = "SELECT game_id, version FROM outbox WHERE number > ? AND number <= ?"
            passed = set(self._raw.execute(query, (begun, cursor)).fetchall())
            query = "SELECT game_id, version FROM webhook_waiting WHERE webhook_id = ?"
            waiting = set(self._raw.execute(query, (webhook,)).fetchall())
            lost = passed - self._receivers.accepted[url] - waiting
            require(not lost, "a cursor passed what was not delivered:", url, cursor, *sorted(lost))

    def unfinished(self, courses: Mapping[str, Course], now: float) -> str | None:
        """What is not yet as it has to be in the end; None when everything is."""
        liveblogs = self._raw.execute("SELECT id, doc, version FROM games").fetchall()
        require(len(liveblogs) == len(courses) + 1, "a liveblog was created twice, or not at all:", len(liveblogs))
        for game_id, document, version in liveblogs:
            match_id = self._match_of(game_id)
            bodies = courses[match_id].at(now)
            posted = {key: post for key, post in says(bodies, match_id).items() if (game_id, key) not in self._deleted}
            wanted = {key: said(post.document) for key, post in posted.items()}
            found = {key: said(post) for key, post in keyed_posts(self._raw, game_id).items()}
            if wanted != found:
                return f"{match_id}: {sorted(set(wanted.items()) ^ set(found.items()))} differ"
            score = (json.loads(document).get("scoreboard") or {}).get("score")
            if score != board(bodies, match_id)[0]:
                return f"{match_id}: the score is {score}"
            for (url,) in self._raw.execute("SELECT url FROM webhooks").fetchall():
                if (game_id, version) not in self._receivers.accepted[url]:
                    return f"{url} has not accepted version {version} of {game_id}"
        return None


def keyed_posts(raw: sqlite3.Connection, game_id: str) -> dict[str, dict[str, Any]]:
    """Key → document of what the public sees."""
    query = (
        "SELECT ledger.key, local_id, events.doc FROM events JOIN ledger USING (game_id, local_id)"
        " WHERE game_id = ? AND local_status = 0"
    )
    found = raw.execute(query, (game_id,)).fetchall()
    return {key: {**json.loads(document), "local_id": local_id} for key, local_id, document in found}


def posts(raw: sqlite3.Connection, game_id: str) -> dict[str, Minute]:
    """`local_id` → minute of the incidents that the public sees."""
    query = "SELECT local_id, doc FROM events WHERE game_id = ? AND local_status = 0"
    found = raw.execute(query, (game_id,)).fetchall()
    documents = {local_id: json.loads(document).get("sport_event") or {} for local_id, document in found}
    return {local_id: incident["time_of_play"] for local_id, incident in documents.items() if incident.get("players")}


STORED = {"_type", "created_at", "version", "local_status", "headline"}
"""What a post says beside its provider's word: a headline is an editor's, and is looked at by itself."""


def said(document: Mapping[str, Any]) -> str:
    """All that a post says of its incident or text, whatever its records, blocks and times are named."""
    return json.dumps(
        _without_names({name: each for name, each in document.items() if name not in STORED}), sort_keys=True
    )


def _without_names(value: Any) -> Any:
    """Without ids, and without the versions that the store stamps."""
    if isinstance(value, dict):
        return {name: _without_names(each) for name, each in value.items() if name != "version" and name[-3:] != "_id"}
    return [_without_names(each) for each in value] if isinstance(value, list) else value
