"""The world of a play: provider, database, receivers, processes, what befalls them, and what must hold all along."""

from __future__ import annotations

import asyncio
import hashlib
import json
import random
from collections import defaultdict
from functools import partial
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, select

from api.services import ImportRequest
from mapping.errors import ServiceError
from store import liveblogs, webhooks
from store.tables import attachments, follows, games, outbox, webhook_rounds, webhook_waiting
from store.tables import webhooks as subscriptions
from store.unit import Unit
from tests.ingest.test_recordings import posts_of_the_liveblog, posts_of_the_provider
from tests.simulation.database import Server
from tests.simulation.processes import Process, ProcessEnded
from tests.simulation.provider import Provider
from tests.simulation.virtual_time import CLOCK

if TYPE_CHECKING:
    from sqlalchemy import Connection

MATCHES = [str(9_000_001 + number) for number in range(4)]
RECEIVERS = [f"https://receiver{number}.example/hook" for number in range(2)]
TROUBLE, REST = 60.0, 60.0
"""Seconds of faults, and of peace behind them, before what is there is compared with what ought to be."""
PATIENCE = 1500.0
"""Seconds after which every delivery has had its next round: rounds are ten minutes apart."""
SET_BY = (3600.0, -7200.0, 8 * 86_400.0, -30.0)


class Broken(AssertionError):
    """What must hold did not."""


class World:
    """A play by one seed."""

    organization = "5f0c1de2a1b2c3d4e5f60718"

    def __init__(self, seed: int, schema: bytes, processes: int = 3) -> None:
        self.chance = random.Random(seed)
        self.server = Server(schema)
        self.provider = Provider(MATCHES, self.chance)
        self.processes = [Process(self, f"p{number}") for number in range(processes)]
        self.taken: dict[str, dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
        """Receiver → liveblog → versions that it has taken."""
        self.versions: dict[str, int] = {}
        self.cursors: dict[str, int] = {}
        self.faults = 0.0
        self.commits = 0
        self.broken: list[str] = []
        """What did not hold, also where the product has contained what was raised."""
        self.owners: dict[str, str] = {}
        """Row of `workers` → the process that it belongs or belonged to."""
        self.prepared = False
        self.trace = hashlib.sha256()

    # What befalls

    def latency(self) -> float:
        """Seconds that one way takes."""
        return self.chance.choice((0.001, 0.005, 0.02, 0.3)) * self.chance.random()

    def store_fault(self) -> str:
        """What befalls a unit: nothing, its refusal, or the loss of the answer to its commit."""
        return self.chance.choice(("refused", "lost")) if self.chance.random() < self.faults / 3 else ""

    def receiver_fault(self) -> str:
        return self.chance.choice(("500", "hangs", "unheard", "lost")) if self.chance.random() < self.faults else ""

    async def play(self) -> None:
        """The whole play. Raises Broken."""
        for each in self.processes:
            each.start()
        await asyncio.sleep(1)
        await self._prepare()
        self.prepared = True
        self.faults, self.provider.faults = 0.15, 0.15
        ends = CLOCK.now + TROUBLE
        await asyncio.gather(self._changes(ends), *(self._troubles(number, ends) for number in range(2)))
        self.faults = self.provider.faults = 0.0
        self.server.down = False
        for number, each in enumerate(self.processes):
            each.cut_off = False
            each.thaw()
            if not each.alive:
                self._replace(number)
        await asyncio.sleep(REST)
        self._compare()
        ends = CLOCK.now + PATIENCE
        while self._undelivered() and ends > CLOCK.now:
            await asyncio.sleep(10)
        self._check_delivered()

    async def _prepare(self) -> None:
        """A liveblog on each match, by createFromExternal; the last match has two. Subscriptions of two receivers."""

        def subscribed(conn: Connection) -> None:
            for url in RECEIVERS:
                unit = Unit(conn, int(CLOCK.wall()))
                webhooks.subscribe(unit, self.organization, url, secret=webhooks.new_secret(), limit=9)

        self.server.transact(subscribed, keep=True)
        for number, name in enumerate([*MATCHES, MATCHES[-1]]):
            request = ImportRequest(
                organization_id=self.organization, client_id="cms", provider="heim", selector_kind="match", selector_id=name,
                title=None, locale="de", text=False, auto_post=True, exclude_scoreboard=False, exclude_events=(),
                idempotency_key=f"key{number}", idempotency_digest="0" * 64,
            )  # fmt: skip
            while True:
                try:
                    await self.processes[number % len(self.processes)].importer(request)
                except ServiceError:
                    await asyncio.sleep(1)
                else:
                    break

    async def _changes(self, ends: float) -> None:
        while ends > CLOCK.now:
            await asyncio.sleep(self.chance.random() * 2)
            self.provider.change()

    async def _troubles(self, number: int, ends: float) -> None:
        """One trouble after the other."""
        kinds = (self._kill, self._stop, self._freeze, self._cut_off, self._outage, self._set_clock)
        while ends > CLOCK.now:
            await asyncio.sleep(self.chance.random() * 8 + number)
            await self.chance.choice(kinds)(self.chance.randrange(len(self.processes)))

    async def _kill(self, number: int) -> None:
        self.processes[number].kill()
        await asyncio.sleep(self.chance.random() * 5)
        self._replace(number)

    async def _stop(self, number: int) -> None:
        process = self.processes[number]
        if process.alive:
            try:
                async with asyncio.timeout(20):
                    await process.stop()
            except (TimeoutError, ServiceError, ProcessEnded):  # it hangs, or somebody kills it meanwhile
                process.kill()
        self._replace(number)

    async def _freeze(self, number: int) -> None:
        self.processes[number].freeze()
        await asyncio.sleep(5 + self.chance.random() * 25)
        self.processes[number].thaw()

    async def _cut_off(self, number: int) -> None:
        self.processes[number].cut_off = True
        await asyncio.sleep(self.chance.random() * 15)
        self.processes[number].cut_off = False

    async def _outage(self, _: int) -> None:
        self.server.down = True
        await asyncio.sleep(self.chance.random() * 8)
        self.server.down = False

    async def _set_clock(self, number: int) -> None:
        if self.processes[number].alive:
            self.processes[number].set_clock(self.chance.choice(SET_BY))

    def _replace(self, number: int) -> None:
        if self.processes[number].alive:
            return
        self.processes[number] = Process(self, self.processes[number].name)
        self.processes[number].start()

    # What must hold all along

    def broke(self, what: str) -> None:
        """Something did not hold: note it, and go no further here."""
        self.broken.append(f"at {CLOCK.now:.1f} s: {what}")
        raise Broken(what)

    def delivered(self, url: str, body: bytes) -> None:
        """A receiver takes a version: what it names can be read already."""
        said = json.loads(body)
        version = int(said["version"])
        shown = self.server.conn.execute(select(games.c.version).where(games.c.id == said["ticker_id"])).scalar()
        self.server.conn.rollback()
        if shown is None or version > shown:
            self.broke(f"version {version} of {said['ticker_id']} was delivered, and {shown} can be read")
        self.taken[url][said["ticker_id"]].add(version)

    def committed(self, process: Process, touched: dict[str, int]) -> None:
        """Look at what a commit has left."""
        self.commits += 1
        self.server.transact(partial(self._look, process=process, touched=touched), keep=False)

    def _look(self, conn: Connection, process: Process, touched: dict[str, int]) -> None:
        if (worker := process.leasing._worker) is not None:
            self.owners[worker.id] = process.name
        self.trace.update(f"{CLOCK.now:.6f} {process.name} {sorted(touched.items())}".encode())
        for game_id in touched:
            self._look_at_liveblog(conn, game_id)
            if self.prepared:  # before, imports write too
                self._look_at_owner(conn, process, game_id)
        self._look_at_cursors(conn)

    def _look_at_liveblog(self, conn: Connection, game_id: str) -> None:
        version = conn.execute(select(games.c.version).where(games.c.id == game_id)).scalar_one()
        noted = conn.execute(select(func.count(), func.max(outbox.c.version)).where(outbox.c.game_id == game_id)).one()
        if version <= self.versions.get(game_id, 0):
            self.broke(f"the version of {game_id} went from {self.versions[game_id]} to {version}")
        if tuple(noted) != (version, version):
            self.broke(f"{game_id} is at version {version}, and the outbox has {noted[0]} of them, the last {noted[1]}")
        self.versions[game_id] = version

    def _look_at_owner(self, conn: Connection, process: Process, game_id: str) -> None:
        """A follower wrote; the match belongs to nobody else."""
        query = select(follows.c.owner).join(attachments, attachments.c.follow_id == follows.c.id)
        owner = conn.execute(query.where(attachments.c.game_id == game_id)).scalar()
        if owner is not None and self.owners.get(owner) != process.name:
            self.broke(f"{process.name} wrote {game_id}, which {self.owners.get(owner)} follows")

    def _look_at_cursors(self, conn: Connection) -> None:
        """Behind a cursor everything has had its first round: it is in the log, or waits for its next round."""
        for row in conn.execute(select(subscriptions.c.id, subscriptions.c.cursor, subscriptions.c.status)).all():
            if row.status != "active":
                self.broke(f"the subscription {row.id} is {row.status}")
            before = self.cursors.get(row.id, 0)
            if row.cursor < before:
                self.broke(f"a cursor went back from {before} to {row.cursor}")
            between = (outbox.c.number > before) & (outbox.c.number <= row.cursor)
            tried = select(webhook_rounds.c.number).where(webhook_rounds.c.webhook_id == row.id)
            waits = select(webhook_waiting.c.number).where(webhook_waiting.c.webhook_id == row.id)
            passed = conn.execute(
                select(outbox.c.number).where(between, outbox.c.number.not_in(tried), outbox.c.number.not_in(waits))
            ).scalars()
            if numbers := passed.all():
                self.broke(f"the cursor of {row.id} has passed {numbers}, which were never tried")
            self.cursors[row.id] = row.cursor

    # What must hold at the end

    def _compare(self) -> None:
        """Every liveblog says what the provider says, once."""
        conn = self.server.conn
        query = select(attachments.c.game_id, follows.c.match_id).join(follows, follows.c.id == attachments.c.follow_id)
        for game_id, match_id in conn.execute(query).all():
            document = {"events": [event.as_document() for event in liveblogs.events(conn, game_id)]}
            posts = [each for each in posts_of_the_liveblog(document) if each[0] == "soccer.yellow-card"]
            if len(posts) != len(set(posts)):
                self.broke(f"a post of {match_id} stands twice")
            wanted = posts_of_the_provider(self.provider.rows[match_id])
            if set(posts) != wanted:
                missing, more = wanted - set(posts), set(posts) - wanted
                self.broke(f"match {match_id}: missing {sorted(missing, key=str)}, left over {sorted(more, key=str)}")
        conn.rollback()

    def _undelivered(self) -> dict[str, set[int]]:
        return {
            f"{url} {game_id}": missing
            for url in RECEIVERS
            for game_id, version in self.versions.items()
            if (missing := set(range(1, version + 1)) - self.taken[url][game_id])
        }

    def _check_delivered(self) -> None:
        if lost := self._undelivered():
            self.broke(f"never delivered: {lost}")

    def close(self) -> dict[str, Any]:
        """End everything; how much was played."""
        for each in self.processes:
            each.kill()
        self.server.close()
        return {"commits": self.commits, "changes": self.provider.changes, "trace": self.trace.hexdigest()[:16]}
