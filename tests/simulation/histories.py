"""A history of one match and its liveblogs, drawn by a seed: answers, people, settings and moves, checked after each step.

`python -m tests.simulation.histories 17` plays seed 17 alone, and with numbers behind it these of its steps, and prints what
happened in it.
"""

import asyncio
import copy
import json
import random
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import structlog

from api.external.handback import return_fields
from ingest.jobs.tasks import publish_due
from ingest.kit.quarantine import Quarantine
from ingest.sync.provider_source import rehome
from mapping.documents.external import HandBack
from mapping.errors import MatchUnknown
from mapping.posts.withdrawal_notes import WithdrawalRules
from providers.base import Fetched
from store.engine.liveblog_records import Change, EventWrite, new_local_id
from store.engine.unit import Unit
from store.following import follow_rows, sources, standbys
from store.following.sources import NamedLiveblog, change_terms, lock_with_match
from store.liveblogs import liveblogs
from store.liveblogs.event_rows import events_named
from store.webhooks import outbox
from tests.kit.scripted import OWNER, Clock, Scripted
from tests.kit.settings import polling
from tests.kit.source_pair import TwoSources, as_second_source
from tests.simulation.history_truth import LEFT_NOTES, START, SUBSTITUTION, TYPES, WHISTLES, Expected, Fact, Truth
from tests.simulation.inline_store import InlineStore
from tests.simulation.invariants import Violation, promise, require
from tests.simulation.shortest import shortest

Document = dict[str, Any]


STEPS = 12
SETTLED_WITHIN = 50
"""Polls within which nothing waits any more; each step back that was undone wants one more than the last one."""
SOON = 60
"""Seconds after which a scheduled post is public."""
NOTE_AFTER = 4 * 3600
"""Seconds after which a post leaves a note: less than a wait, and more than what is between two."""
WEEK = 7 * 86_400
OTHER = "5f0c1de2a1b2c3d4e5f60719"
"""An organization that shares the endpoint of the first one."""
ELSEWHERE, PUNCTUAL = "z1", 0.7
"""The match's id at another provider, and how often that one knows at once what the first one says."""
EXCLUDED = "soccer.yellow-card"
BEGAN = 1_760_000_000
"""Unix seconds between the match and the history."""
LIVE = polling().live
BLOCK = "Svc::Model::Content::RichTextContentBlock"
TITLES = {
    "soccer.goal": ("Goal", "Tor"),
    "soccer.yellow-card": ("Yellow card", "Gelbe Karte"),
    "soccer.red-card": ("Red card", "Rote Karte"),
    "soccer.yellow-red-card": ("Second yellow card", "Gelb-Rote Karte"),
    "soccer.substitution": ("Substitution", "Wechsel"),
    "soccer.start": ("Kick-off", "Anpfiff"),
    "soccer.pause-halves": ("Half-time", "Halbzeit"),
    "soccer.resume-halves": ("Second half", "Zweite Halbzeit"),
    "soccer.end": ("Full-time", "Abpfiff"),
    "soccer.disallowed-goal": ("Goal disallowed", "Tor aberkannt"),
    "soccer.withdrawn-card": ("Red card withdrawn", "Rote Karte zurückgenommen"),
}
"""The beginning of a title in English and in German."""
REVIEWED = (" – under review", " – wird geprüft")


class NewestId(Scripted):
    """A provider that knows the match by its newest id alone."""

    def __init__(self, truth: Truth) -> None:
        super().__init__()
        self.truth = truth
        self.bodies = truth.bodies()

    async def fetch(self, match_id: str, *known: Any, **wishes: Any) -> Fetched:
        if match_id != self.truth.match_id:
            raise MatchUnknown("the provider does not know the match")
        return await super().fetch(match_id, *known, **wishes)


@dataclass
class Kept:
    """A backup, and what the model said then."""

    database: bytes
    expected: dict[str, Expected]
    facts: frozenset[int]
    last: int
    """The delivery number that was given last."""


class History:
    """The world of one seed."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.seeded = random.Random(seed)
        self.exports = seed % 8 == 0
        self.clock = Clock()
        self.store = InlineStore(lambda: self.clock.now, self._committed)
        self.truth = Truth(self.seeded)
        self.notes = seed % 2 == 1
        rules = WithdrawalRules(silent=frozenset() if self.notes else frozenset({OWNER}), note_after=NOTE_AFTER)
        self.owners = (OWNER, OWNER if self.exports else OTHER)
        serves = lambda _, organization: organization in self._present()  # noqa: E731
        self.process = TwoSources(
            self.store, self.truth.match_id, NewestId(self.truth), clock=self.clock, serves=serves,
            organizations=self.owners, withdrawals=rules,
        )  # fmt: skip
        self.waits = 0
        """How often a long time has gone by."""
        self.expected: dict[str, Expected] = {}
        self.trace: list[str] = []
        self._names: dict[tuple[str, int], str] = {}
        """`local_id` of the post of each fact, by liveblog and uid."""
        self._owners: dict[tuple[str, str], int] = {}
        self._delivered: dict[str, int] = {}
        self._last = 0
        self._gone_numbers = (0, 0)
        """Numbers that were given between a backup and its restore: beyond the first, up to the last."""
        self._frozen: dict[str, str] = {}
        """What a closed liveblog says, and says from then on."""
        self._kept: Kept | None = None

    async def play(self, steps: Iterable[int]) -> None:
        """`steps`: their numbers; each draws by its own, so that it does what it does whichever others are left out."""
        for _ in range(2):
            self.truth.new()
        self.process.adapter.bodies = self.truth.bodies()
        await self._create()
        await self._settle("begin")
        for number in steps:
            self.seeded.seed(f"{self.seed} {number}")
            step = self.seeded.choice(self._steps())
            self.trace.append(step.__name__.strip("_"))
            standing = self._standing() if step in self._provider() else {}
            await step()
            await self._settle(self.trace[-1])
            for name, shown in standing.items():
                require(shown == self._shown(name), "a liveblog moved that follows nothing:", self.trace[-1], name)
        self.seeded.seed(f"{self.seed} end")
        await self._end()

    def _steps(self) -> list[Any]:
        people = [self._write, self._write, self._write, self._agree, self._hand_back, self._hand_back, self._hide,
                  self._publish, self._delete, self._schedule, self._schedule, self._write_own]  # fmt: skip
        settings = [self._switch, self._switch, self._switch, self._switch_off_and_on, self._switch_off_and_on]
        moves = [
            self._detach_or_attach,
            self._move_endpoint,
            self._restart,
            self._create,
            self._forget,
            self._leave_or_join,
            self._rebuild,
            self._rebuild,
            self._stand_by_or_leave,
            self._stand_by_or_leave,
        ]
        moves += [self._back_up_or_restore, self._back_up_or_restore, self._back_up_or_restore]
        moves += [self._export_and_import] if self.exports else []
        return [*self._provider(), *self._provider(), *people, *settings, *moves, self._wait, self._wait]

    def _provider(self) -> list[Any]:
        return [
            self._happen, self._happen, self._replace, self._whistle, self._correct, self._correct, self._withdraw, self._return,
            self._withdraw_and_return, self._send_off, self._review, self._review, self._number_anew,
            self._number_one_anew, self._answer_badly, self._answer_badly, self._comment, self._repeat, self._move,
        ]  # fmt: skip

    def _standing(self) -> dict[str, str]:
        """What liveblogs say that follow nothing and have nothing scheduled."""
        return {
            name: self._shown(name)
            for name, expected in self.expected.items()
            if not expected.open and not any(each.due for each in expected.wishes.values())
        }

    # The provider

    async def _happen(self) -> None:
        """Something; the score may be the last to know of it."""
        before = self.truth.board()
        if self._has_room() and self.truth.new().keyword == "goal/head" and not self.truth.reviewed:
            self.truth.said = before
            await self._settle("the score is late")
            self.truth.said = ""

    def _has_room(self) -> bool:
        return len(self.truth.facts) < 24

    async def _replace(self) -> None:
        """A goal goes, and there is another one of the same scorer; of a card one of another player a minute later."""
        found = [each for each in self.truth.there(play=True) if each.keyword != SUBSTITUTION and self._counts(each)]
        if found and self._has_room():
            fact = self.seeded.choice(found)
            self.truth.withdraw(fact.uid)
            self.truth.another_one(fact)

    async def _whistle(self) -> None:
        """The state goes on or back; not every whistle has a row, or has it at once."""
        last = self.truth.whistled
        if last > START and self.seeded.random() < 0.4:
            self.truth.change(last, there=False, odd=False)
        elif self.truth.facts[last].odd and self.seeded.random() < 0.5:
            self.truth.change(last, odd=False)
        elif last < 3:
            self.truth.change(last + 1, there=True, odd=self.seeded.random() < 0.5)

    async def _correct(self) -> None:
        """Minute and kind of a goal, sometimes together with the id."""
        fact = self._fact(play=True)
        if fact is not None and self._is_known(fact.uid):
            keyword = {"goal/head": "goal/left-foot", "goal/left-foot": "goal/head"}.get(fact.keyword, fact.keyword)
            self.truth.change(fact.uid, minute=fact.minute ^ 1, keyword=keyword)
            if self.seeded.random() < 0.5 and not self._lags():
                self.truth.change(fact.uid, number=self.truth.number(), corrected=True)

    def _is_known(self, uid: int) -> bool:
        """Whether the fact is the same one to all, whatever of it changes, its id too.

        It is not to a backup, nor to a liveblog that does not follow, in which the post was deleted.
        """
        deleted = any(each.wish(uid).deleted and not each.open for each in self.expected.values())
        return not deleted and self._kept is None

    async def _withdraw(self) -> None:
        fact = self._fact(play=None if all(each.text and not each.away for each in self.expected.values()) else True)
        if fact is not None and self._counts(fact):  # nobody hears of a text that nobody asks for
            self.truth.withdraw(fact.uid)

    def _counts(self, fact: Fact) -> bool:
        """Whether a goal may go, or come back: while the score has lost others of its side, those go first."""
        return fact.uid in self.truth.reviewed or fact.side not in {
            self.truth.facts[each].side for each in self.truth.reviewed
        }

    async def _return(self) -> None:
        heard = all(each.text and each.open for each in self.expected.values())
        gone = [
            each for each in self.truth.facts.values() if not each.there and not each.whistle and self._counts(each)
        ]
        gone = [each for each in gone if heard or each.keyword]
        if gone:
            fact = self.seeded.choice(gone)
            number = self.truth.number() if self.seeded.random() < 0.3 and not self._lags() else fact.number
            self.truth.change(fact.uid, there=True, number=number)

    async def _withdraw_and_return(self) -> None:
        """What was taken back and came back needs more answers the next time."""
        fact = self._fact(play=True)
        if fact is None or not self._counts(fact) or fact.uid in self.truth.reviewed:
            return
        facts = self.truth.without(fact.uid)
        self.truth.withdraw(fact.uid)
        await self._settle("withdrawn for a while")
        self.truth.facts[fact.uid] = fact
        await self._settle("back again")
        if not fact.corrected:
            await self._wrong(
                "gone again", self.truth.but(facts=facts, said=self.truth.board()), "match-event liveticker", 3
            )

    async def _send_off(self) -> None:
        yellow = [each for each in self.truth.there(play=True) if each.keyword == "card/yellow"]
        if yellow and self._has_room():
            first = self.seeded.choice(yellow)
            self.truth.change(first.uid, words=self.seeded.choice(("", f"He of {first.uid} was late")))
            await self._settle("before he is sent off")
            heard = self._kept is None and not self._lags()
            self.truth.second_yellow(first.uid, dropped=heard and self.seeded.random() < 0.7)

    async def _review(self) -> None:
        """The score loses a goal of which the row stays, or counts it again."""
        side, reviewed = self.seeded.choice(("home", "away")), self.truth.reviewed
        goals = self.truth.goals(side)
        lost = [each.uid for each in goals if each.uid in reviewed]
        counted = [each.uid for each in goals if each.uid not in reviewed]
        if lost and self.seeded.random() < 0.5:
            self.truth.reviewed -= {lost[0]}
        elif counted and self.process.matches:
            self.truth.reviewed |= {counted[-1]}

    async def _number_anew(self) -> None:
        """Other ids step nothing, nor do those that there were before."""
        if self._lags():
            return
        await self._settle("before other ids")
        before, facts = self._versions(), dict(self.truth.facts)
        self.truth.number_anew()
        await self._settle("other ids")
        if self.seeded.random() < 0.3:
            self.truth.facts = facts
            await self._settle("their ids again")
        self._require_no_step(before, "other ids")

    def _require_no_step(self, before: Mapping[str, int], after: str) -> None:
        waits = any(each.due for expected in self.expected.values() for each in expected.wishes.values())
        require(waits or before == self._versions(), f"{after} stepped a liveblog")

    def _lags(self) -> bool:
        """Whether a liveblog hears of nothing: what is numbered anew and corrected before it does is something else to it."""
        return not all(each.attached and not each.away for each in self.expected.values())

    async def _number_one_anew(self) -> None:
        if not self._lags() and (fact := self._fact()) is not None:
            self.truth.change(fact.uid, number=self.truth.number(), words_number=self.truth.number())

    async def _answer_badly(self) -> None:
        """Something is wrong in one answer, and something else in the next."""
        await self._settle("before a bad answer")
        truth, last = self.truth, self.truth.whistled
        bad = [] if truth.over else [("before its start", truth.but(state=None), "", 3)]
        if truth.board() != "0:0":
            bad += [("lower", truth.but(said="0:0"), "match", 1)]
        if last > START:
            state = [*WHISTLES][last - 2].partition("/")[2]
            facts = self.seeded.choice((truth.facts, truth.without(last)))
            bad += [("an earlier state", truth.but(state=state, facts=facts), "match match-event", 1)]
        fact = self._fact(play=None if all(each.text and not each.away for each in self.expected.values()) else True)
        if fact is not None:
            carrier = "match-event liveticker" if fact.keyword else "liveticker"
            bad += [("a row gone", truth.but(facts=truth.without(fact.uid), said=truth.board()), carrier, 1)]
            bad += [("unreadable", truth.but(spoilt=fact.uid), "", 3)] if fact.keyword else []
        leaving = [each.uid for each in truth.there() if each.keyword == SUBSTITUTION]
        bad += [("half of it", truth.but(halved=uid), "match-event", 1) for uid in leaving[:1]]
        squads = {**truth.squads, "home": truth.squads["home"][1:]}
        bad += [("somebody gone", truth.but(squads=squads), "match-event", 1)]
        for each in self.seeded.sample(bad, min(len(bad), 2)):
            await self._wrong(*each)

    async def _wrong(self, what: str, bodies: dict[str, bytes], carrier: str, times: int) -> None:
        """So many wrong answers take nothing back, nor does the failure of what carries it; and it is looked at soon."""
        before = {name: self._shown(name) for name in self.expected}
        for _ in range(times):
            await self.process.poll(bodies)
        endpoint = self.process.adapter.endpoint.key
        first = [each for each in self.process.matches if each.endpoint == endpoint]
        waits = [self.process.followers.interval(each) or 0 for each in first]
        if carrier:
            require(all(each <= LIVE for each in waits), "what waits is polled late:", what, *waits)
            await self.process.poll(bodies, failing=frozenset(carrier.split()))
        for name, shown in before.items():
            require(shown == self._shown(name), "a wrong answer took something back:", what, name)

    async def _comment(self) -> None:
        """The provider's editors write about an incident, correct what they wrote, or take it back."""
        fact = self._fact(play=True)
        if fact is not None:
            words = self.seeded.choice((f"He of {fact.uid} it is again", f"The story of {fact.uid} in other words", ""))
            self.truth.change(fact.uid, words=words, words_number=fact.words_number or self.truth.number())

    async def _repeat(self) -> None:
        """The same in other bytes steps nothing."""
        await self._settle("before the same again")
        before = self._versions()
        self.truth.stamp += 1
        self.process.adapter.bodies = self.truth.bodies()
        await self.process.poll()
        require(before == self._versions(), "the same answer stepped a liveblog")

    async def _move(self) -> None:
        """The kick-off moves; somebody comes to a squad or leaves it."""
        self.truth.kickoff = self.seeded.randrange(60)
        side = self.seeded.choice(("home", "away"))
        squad = self.truth.squads[side]
        squad = squad[1:] if len(squad) > 2 else (*squad, max(squad) + 1)
        self.truth.squads = {**self.truth.squads, side: squad}

    # People

    async def _write(self) -> None:
        """A headline, a minute, a block of their own; or the provider's words go."""
        if (chosen := self._post()) is None:
            return
        name, uid = chosen
        fact, wish, number = self.truth.facts[uid], self.expected[name].wish(uid), self.seeded.randrange(1000)
        what = self.seeded.choice(("headline", "headline", "minute", "block", "bare"))
        if what == "headline" or fact.keyword == "":
            await self._edit(name, uid, lambda said: {**said, "headline": f"By hand {number}"})
            self._wish(name, uid, headline=f"By hand {number}")
        elif what == "minute":
            await self._edit(name, uid, _at(f"{fact.by_hand}'"))
            self._wish(name, uid, minute=True)
        elif what == "block":
            block = {"_type": BLOCK, "local_id": new_local_id("b"), "text": f"Ours {number}"}
            await self._edit(name, uid, lambda said: {**said, "contents": [*said["contents"], block]})
            self._wish(name, uid, blocks=(*wish.blocks, block["text"]))
        elif not wish.bare:
            await self._edit(name, uid, lambda said: {**said, "contents": said["contents"][1:]})
            self._wish(name, uid, bare=True)

    async def _agree(self) -> None:
        """A person writes a minute, the provider then says the same: it is the provider's from then on."""
        if (chosen := self._post()) is None:
            return
        name, uid = chosen
        fact, expected = self.truth.facts[uid], self.expected[name]
        if (
            fact in self.truth.there(play=True)
            and self._is_known(uid)
            and expected.open
            and not expected.wish(uid).minute
        ):
            await self._edit(name, uid, _at(f"{fact.minute ^ 1}'"))
            self.truth.change(uid, minute=fact.minute ^ 1)
            await self._settle("agreed")
            self.truth.change(uid, minute=fact.minute)

    async def _hide(self) -> None:
        if (chosen := self._post(public=True)) is not None:
            await self._edit(*chosen, local_status=60)
            self._wish(*chosen, status=60, due=None)

    async def _publish(self) -> None:
        if (chosen := self._post(public=False)) is not None:
            await self._edit(*chosen, local_status=0, publish_at=None)
            self._wish(*chosen, status=0, due=None)

    async def _delete(self) -> None:
        if (chosen := self._post()) is not None:
            await self._edit(*chosen, local_status=100)
            self._wish(*chosen, deleted=True)

    async def _schedule(self) -> None:
        if (chosen := self._post(public=True)) is not None:
            due = int(self.clock.now) + self.seeded.choice((SOON, 10 * SOON))
            await self._edit(*chosen, publish_at=due)
            self._wish(*chosen, status=0, due=due, scheduled=True)

    async def _hand_back(self) -> None:
        """All fields of a post are the provider's again; blocks of their own stay."""
        chosen = self._post(by_hand=True)
        if chosen is not None and self.expected[chosen[0]].attached:
            name, uid = chosen
            named, wanted = NamedLiveblog(name, self.expected[name].owner), HandBack(events=(self._names[name, uid],))
            await self.store.write(partial(return_fields, named=named, wanted=wanted, expected=None))
            self._wish(name, uid, headline=None, minute=False, bare=False)

    async def _write_own(self) -> None:
        name = self._liveblog()
        own = EventWrite.new(
            local_id=new_local_id("e"), document={"headline": "Ours"}, created_at=int(self.clock.now), user_id="editor"
        )
        await self.store.write(lambda unit: liveblogs.record(unit, name, Change(events=(own,))))
        self.expected[name].own.add(own.local_id)

    async def _edit(self, name: str, uid: int, edit: Callable[[Document], Document] = dict, **changes: Any) -> None:
        """What an editor's client does; the sync looks once before anything else happens."""

        def work(unit: Unit) -> None:
            (event,) = events_named(unit.conn, [self._names[name, uid]]).values()
            write = event.rewritten(document=edit(event.document), user_id="editor", **changes)
            liveblogs.record(unit, name, Change(events=(write,)))

        await self.store.write(work)
        self.truth.stamp += 1

    def _wish(self, name: str, uid: int, **changes: Any) -> None:
        expected = self.expected[name]
        expected.wishes[uid] = replace(expected.wish(uid), **changes)

    # Settings

    async def _switch(self) -> None:
        """One setting, or whether editors publish."""
        name = self._liveblog()
        terms = ("auto_post", "text", "excluded", "paused", "locale", "board_excluded", "editorial", "editorial")
        field = self.seeded.choice(terms)
        if field == "editorial":
            await self._switch_editorial(name)
        else:
            await self._change(name, field)

    async def _switch_off_and_on(self) -> None:
        name, field = self._liveblog(), self.seeded.choice(("auto_post", "auto_post", "text"))
        for _ in range(2):
            await self._change(name, field)
            await self._settle("switched")

    async def _change(self, name: str, field: str) -> None:
        expected = self.expected[name]
        value: Any = not getattr(expected, field)
        if field == "locale":
            value = "de" if expected.locale == "en" else "en"
        elif field == "excluded":
            value = frozenset() if expected.excluded else frozenset({EXCLUDED})
        named = {"excluded": "exclude_events", "board_excluded": "exclude_scoreboard"}.get(field, field)
        if not expected.away and await self._terms(name, **{named: value}):
            setattr(expected, field, value)

    async def _switch_editorial(self, name: str) -> None:
        expected = self.expected[name]
        expected.editorial = not expected.editorial

        def work(unit: Unit) -> None:
            said = liveblogs.lock_game(unit, name).document
            meta = {**said["meta_info"], "editorial_publishing": expected.editorial}
            liveblogs.record(unit, name, Change(game={**said, "meta_info": meta}))

        await self.store.write(work)
        self.truth.stamp += 1

    async def _terms(self, name: str, **changes: Any) -> bool:
        def work(unit: Unit) -> bool:
            game, attachment = lock_with_match(unit, NamedLiveblog(name, self.expected[name].owner))
            if attachment is None:
                return False
            change_terms(unit, game, attachment, replace(follow_rows.terms_of(attachment), **changes))
            return True

        changed = await self.store.write(work)
        if changed:
            await self._take_up()
        return changed

    # Moves

    async def _wait(self) -> None:
        """A long time goes by."""
        await self._settle("before a long time")
        self.waits += 1
        self.clock.now += NOTE_AFTER

    async def _create(self) -> None:
        if len(self.expected) < 2:
            owner = self.owners[len(self.expected)]
            notes = self.notes or owner == OTHER
            self.expected[await self.process.create(organization_id=owner)] = Expected(owner, notes)

    async def _detach_or_attach(self) -> None:
        name = self._liveblog()
        expected = self.expected[name]
        if expected.attached and not expected.away:
            await self.store.write(lambda unit: sources.detach(unit, follow_rows.attachment(unit.conn, name)))  # type: ignore[arg-type]
            expected.attached = False
        elif not expected.away:
            await self._attach(name)

    async def _attach(self, name: str) -> None:
        expected = self.expected[name]
        await self.process.create(
            attach_to=name, organization_id=expected.owner, auto_post=expected.auto_post, text=expected.text,
            exclude_events=tuple(expected.excluded),
            locale=expected.locale, exclude_scoreboard=expected.board_excluded,
        )  # fmt: skip
        expected.attached, expected.paused = True, False
        if not expected.auto_post:  # what to leave out only counts where posting is automatic
            expected.excluded, expected.board_excluded = frozenset(), False

    async def _move_endpoint(self) -> None:
        """The daemon comes back with another password."""
        self.process.adapter = NewestId(self.truth)
        await self._rehome()
        await self.process.restart()

    async def _export_and_import(self) -> None:
        """The organization is exported and imported into another database; a backup of the old one is of no use then."""
        await asyncio.to_thread(self.store.move, OWNER)
        self._kept = None
        await self.process.restart()

    async def _forget(self) -> None:
        """What was believed of the match is lost, and the next answer lacks something."""
        await self._settle("before it is lost")
        if self._lags():
            return
        self.truth.settle()
        await self._settle("nothing that is not in the answers")
        await self.store.write(lambda unit: unit.conn.exec_driver_sql("DELETE FROM beliefs") and None)
        await self.process.restart()
        for fact in self.truth.there(play=True)[-1:]:
            await self._wrong("gone", self.truth.but(facts=self.truth.without(fact.uid)), "", 1)

    async def _rehome(self) -> None:
        await rehome(self.store, self.process.access(self._present()), Quarantine())  # type: ignore[arg-type]

    def _present(self) -> set[str]:
        """The organizations in the configuration."""
        return {*self.owners} - {each.owner for each in self.expected.values() if each.away}

    async def _leave_or_join(self) -> None:
        """An organization is taken out of the configuration, or put back."""
        chosen = self.expected[self._liveblog()]
        for each in self.expected.values():
            each.away = not chosen.away if each is not chosen and each.owner == chosen.owner else each.away
        chosen.away = not chosen.away
        await self._rehome()
        await self.process.restart()
        await self._name_anew()

    async def _rebuild(self) -> None:
        """The provider rebuilds its list: match and rows have other ids, and the first answer lacks something."""
        if self._lags():
            return
        await self._settle("before another id of the match")
        catches_up = any(each.paused for each in self.expected.values())
        self.truth.rebuild()
        await self._name_anew(off=self.seeded.random() < 0.3)
        for fact in [] if catches_up else self.truth.there(play=True)[-1:]:
            await self._wrong("lacking", self.truth.but(facts=self.truth.without(fact.uid)), "", 1)

    async def _name_anew(self, *, off: bool = False) -> None:
        """People put each liveblog on the match by its newest id. `off`: they take it off the match before."""
        self.process.match_id, self.process.adapter.bodies = self.truth.match_id, self.truth.bodies()
        for name, expected in self.expected.items():
            on_it = await self.store.read(partial(follow_rows.attachment, game_id=name))
            if expected.attached and not expected.away and on_it.match_id != self.truth.match_id:
                if off:
                    await self.store.write(partial(sources.detach, attachment=on_it))
                await self._attach(name)
        await self._take_up()

    async def _stand_by_or_leave(self) -> None:
        """Another provider's match stands by, which says the same, sooner or later; or it does no more. Neither steps anything."""
        name = self._liveblog()
        expected = self.expected[name]
        if not expected.attached or expected.away:
            return
        await self._settle("before another source")
        before = self._versions()
        stands = await self.store.read(partial(standbys.of_liveblog, game_id=name))
        await self.process.stand_by(name, *() if stands else (ELSEWHERE,), owner=expected.owner)
        await self._take_up()
        await self._settle("another source")
        self._require_no_step(before, "another source")

    async def _restart(self) -> None:
        await self.process.restart()

    async def _back_up_or_restore(self) -> None:
        if self._kept is None:
            self._kept = Kept(
                self.store.backup(), copy.deepcopy(self.expected), frozenset(self.truth.facts), self._last
            )
            return
        kept, self._kept = self._kept, None
        self.store.restore(kept.database)
        self.truth.settle()
        self.expected, self._gone_numbers = kept.expected, (kept.last, self._last)
        there = {at: name for at, name in self._names.items() if self._is_there(name)}
        self._names = {at: name for at, name in there.items() if at[1] in kept.facts}
        self._owners = {(name, local_id): uid for (name, uid), local_id in self._names.items()}
        await self._rehome()
        await self.process.restart()
        await self._name_anew()

    async def _take_up(self) -> None:
        """The process hears of it, as it does when it renews its leases."""
        for followed in self.process.matches:
            await self.process.followers.follow(followed.id)
        for row in await self.store.read(follow_rows.follows):
            await self.process.followers.follow(row.id)

    # The end

    async def _end(self) -> None:
        """Everything goes on, then the match ends; after that nothing moves what it has left."""
        for each in self.expected.values():
            each.away = False
        await self._rehome()
        await self.process.restart()
        await self._name_anew()
        for name, expected in self.expected.items():
            if not expected.attached:
                await self._attach(name)
            elif expected.paused and await self._terms(name, paused=False):
                expected.paused = False
        await self._take_up()
        await self._settle("all go on")
        self.clock.now += 10 * SOON
        await self._settle("all scheduled is due")
        self.truth.end()
        await self._settle("the whistle")
        await self._answer_badly()
        await self._award()
        await self._settle("the award")
        self.clock.now += WEEK
        await self.process.poll()
        await self.process.followers.stop()
        for name, expected in self.expected.items():
            expected.closed, self._frozen[name] = True, self._shown(name)
            self._check_gone(name, expected)
        await self.process.restart()
        self.truth.another = self.seeded.choice(("", "", "teams", "day"))
        if not self.truth.another:
            self.truth.new()
        self.process.adapter.bodies = self.truth.bodies()
        after = await self.process.create()
        await self.process.settle()
        shown = self._shown(after)
        require(not self.truth.another or "Muster99" in shown, "a new match has another liveblog:", shown[:200])
        require(self._frozen == {name: self._shown(name) for name in self._frozen}, "a finished liveblog was written")

    async def _award(self) -> None:
        """A score that nobody can have played, where there is one: once it counts for nothing."""
        home, away = map(int, self.truth.board().split(":"))
        award = "3:0" if away and home < 3 else "0:3" if home and away < 3 else ""
        if award and self.truth.score() == self.truth.board() and self.seeded.random() < 0.5:
            await self._wrong("an award", self.truth.but(said=award), "match", 1)
            self.truth.decide(award)

    def _check_gone(self, name: str, expected: Expected) -> None:
        """What is withdrawn in the end, and nobody has touched, is deleted; what our own settings hide is not."""
        for (liveblog, uid), local_id in self._names.items():
            if liveblog != name:
                continue
            query = "SELECT local_status FROM events WHERE local_id = ?"
            (status,) = self.store.raw.execute(query, (local_id,)).fetchone()
            if self.truth.facts[uid].there:
                deleted = expected.wish(uid).deleted
                require(deleted or status != 100, "what nobody wants for a while is deleted:", name, uid)
            elif uid in expected.noted:
                require(
                    status == (0 if expected.shows_note(uid) else 60), "a note is gone in the end:", name, uid, status
                )
            elif uid not in expected.wishes and (expected.text or self.truth.facts[uid].keyword):
                require(status == 100, "what is withdrawn stays for ever:", name, uid, status)

    # What is looked at

    async def _settle(self, after: str) -> None:
        self.process.adapter.bodies = bodies = self.truth.bodies()
        if self.process.second.match is None or self.seeded.random() < PUNCTUAL:
            match = self.process.adapter.translate(self.truth.match_id, bodies)
            self.process.second.match = as_second_source(match, self.seed, missing=0)
        for _ in range(SETTLED_WITHIN):
            await self.process.poll()
            await publish_due(self.store, lambda: self.clock.now, Quarantine())  # type: ignore[arg-type]
            await self.store.write(lambda unit: outbox.number_committed(unit) and None)
            self._check_deliveries()
            if self._is_settled():
                break
        for name, expected in self.expected.items():
            self._check(name, expected, after)

    def _is_settled(self) -> bool:
        return not any(match.pending or match.afresh for match in self.process.matches)

    def _check(self, name: str, expected: Expected, after: str) -> None:
        if expected.open:
            expected.look([each for each in self.truth.facts.values() if each.there])
        posts = self._posts(name)
        for uid, found in (self._posts(name, waiting=True) | posts).items():
            known = self._names.setdefault((name, uid), found["local_id"])
            require(known == found["local_id"], "a post has another name:", after, name, uid)
            owner = self._owners.setdefault((name, known), uid)
            require(owner == uid, "a post is about something else now:", after, name, owner, uid)
        for own in expected.own:
            require(self._is_public(own), "what a person wrote is gone:", after, name, own)
        for uid, wish in expected.wishes.items():
            hidden = wish.deleted or wish.status == 60 or (wish.due or 0) > self.clock.now
            require(not (hidden and uid in posts), "what a person took down is public:", after, name, uid)
        if expected.open:
            self._check_notes(name, expected, after)
        expected.show(posts.keys(), self.truth.facts, self.waits)
        if not expected.open:
            return
        wanted = {each.uid for each in self.truth.facts.values() if expected.public(each, self.clock.now)}
        require(wanted == posts.keys(), "other posts are public:", after, name, sorted(wanted ^ posts.keys()))
        for uid in wanted:
            self._check_post(name, expected, self.truth.facts[uid], posts[uid], after)
        self._check_game(name, expected, after)

    def _check_notes(self, name: str, expected: Expected, after: str) -> None:
        """A goal or red card that readers saw for a while and that is gone has its note, in its own post; nothing else has."""
        facts = self.truth.facts
        left = {uid for uid in expected.seen | expected.noted if expected.leaves(facts[uid], self.waits)}
        wanted = {uid for uid in left if expected.shows_note(uid)}
        notes = self._noted(name)
        require(wanted == notes.keys(), "other notes are public:", after, name, sorted(wanted ^ notes.keys()))
        for uid, (local_id, document) in notes.items():
            event, note = document["sport_event"], LEFT_NOTES[facts[uid].kind]
            title = TITLES[note][expected.locale == "de"]
            require(local_id == self._names[name, uid], "a note is another post:", after, name, uid)
            require(event["title"] == title and "score" not in event, "a note says something else:", after, event)
            headline = expected.wish(uid).headline or ""
            require(document.get("headline", "") == headline, "a headline of a note is another one:", after, name, uid)
        expected.noted = left

    def _check_post(self, name: str, expected: Expected, fact: Fact, post: Mapping[str, Any], after: str) -> None:
        document, blocks = post["document"], [each["text"] for each in post["document"].get("contents") or ()]
        wish, at = expected.wish(fact.uid), (after, name, fact.uid)
        require(document.get("headline", "") == (wish.headline or ""), "a headline is another one:", *at)
        ours = blocks[len(blocks) - len(wish.blocks) :]
        require(ours == [*wish.blocks], "a block of ours is another one:", *at, blocks)
        text = "".join(blocks[: len(blocks) - len(wish.blocks)])
        require(bool(text) is not wish.bare, "what a person removed is there, or what nobody did is not:", *at, blocks)
        require("script" not in text, "a text is not sanitised:", *at, text)
        if not fact.keyword:
            require(fact.words in text, "a text is another one:", *at)
            return
        require(wish.scheduled or fact.whistle or post["created_at"] < BEGAN, "a post has moved to now:", *at)
        event, language = document["sport_event"], expected.locale == "de"
        title = TITLES[fact.kind][language]
        reviewed = fact.uid in self.truth.reviewed and expected.notes
        require(event["title"].startswith(title), "a title is in another language:", *at, event["title"])
        marked = event["title"].endswith(REVIEWED[language])
        require(reviewed is marked, "another goal is under review:", *at, event["title"])
        shown = (event["event_type"], event["time_of_play"], [each["player"]["name"] for each in event["players"]])
        minute = fact.by_hand if wish.minute else fact.minute
        require(shown == (fact.kind, f"{minute}'", fact.names), "a post says something else:", *at, fact, shown)
        if fact.kind == "soccer.goal":
            score = f"{event['score']['home_score']}:{event['score']['away_score']}"
            require(score == self.truth.score(fact.minute), "a goal has another score:", *at, score)
        words = fact.words if expected.text and fact.words else "" if fact.whistle else fact.name.rpartition(" ")[2]
        require(wish.bare or words in text, "a post has other words:", *at, text)
        require(
            not (fact.words and not expected.text and fact.words in text), "a text is shown that nobody wants:", *at
        )

    def _check_game(self, name: str, expected: Expected, after: str) -> None:
        """Board, state, squads and kick-off."""
        (document,) = self.store.raw.execute("SELECT doc FROM games WHERE id = ?", (name,)).fetchone()
        said = json.loads(document)
        score, truth = said["scoreboard"]["score"], self.truth
        shown = f"{score['home_score']}:{score['away_score']}"
        if expected.auto_post and not expected.board_excluded:
            require(shown == (truth.award or truth.board()), "the board has another score:", after, name, shown)
            beside = [*truth.board().split(":")] if truth.award else []
            require(re.findall(r"\d+", score.get("title", "")) == beside, "another score is beside it:", after, score)
            expected.board = shown
        require(expected.board in {"", shown}, "a board that is left out moved:", after, name, shown)
        expected.board = shown
        if expected.auto_post:
            state = said["state_info"]
            now = (31,) if truth.over else (1, truth.whistled == 2, 1 + (truth.whistled == 3))
            found = (state["gamestate"], state["is_break"], state["recurrence"])[: len(now)]
            require(found == now, "the state is another one:", after, name, state)
        for side, squad in truth.squads.items():
            named = set(re.findall(r"Jan Muster(\d+)", json.dumps(said["squads"][side])))
            require(named == {str(each) for each in squad}, "a squad is another one:", after, name, side, named)
        require(said["meta_info"]["starts_at"] == truth.starts_at, "the kick-off is another one:", after, name)

    def _posts(self, name: str, *, waiting: bool = False) -> dict[int, dict[str, Any]]:
        """The public posts about facts, by uid, or those that wait for an editor; none stands twice."""
        found: dict[int, dict[str, Any]] = {}
        query = (
            "SELECT local_id, doc, created_at FROM events WHERE game_id = ? AND local_status = ? AND publish_at IS NULL"
        )
        expected = self.expected[name]
        for local_id, document, created_at in self.store.raw.execute(query, (name, 60 * waiting)).fetchall():
            if local_id in expected.own:
                continue
            said = json.loads(document)
            uid = self._uid_of(said)
            if uid is not None and (not waiting or (expected.wish(uid).status == 60 and self.truth.facts[uid].there)):
                require(uid not in found, "a post stands twice:", name, uid)
                found[uid] = {"local_id": local_id, "document": said, "created_at": created_at}
        return found

    def _noted(self, name: str) -> dict[int, tuple[str, dict[str, Any]]]:
        """The public notes by the uid of the goal: `local_id` and document."""
        query = "SELECT local_id, doc FROM events WHERE game_id = ? AND local_status = 0 AND publish_at IS NULL"
        owners = {local_id: uid for (liveblog, uid), local_id in self._names.items() if liveblog == name}
        found = [(local_id, json.loads(doc)) for local_id, doc in self.store.raw.execute(query, (name,)).fetchall()]
        return {
            owners[local_id]: (local_id, said)
            for local_id, said in found
            if (said.get("sport_event") or {}).get("event_type") in LEFT_NOTES.values()
        }

    def _uid_of(self, said: Mapping[str, Any]) -> int | None:
        """The fact that the post is about: by who it names, of a text by its first words."""
        event, text, facts = said.get("sport_event"), json.dumps(said.get("contents") or []), self.truth.facts.values()
        if event is None:
            return next((each.uid for each in facts if not each.keyword and each.name in text), None)
        if event["event_type"] not in TYPES.values():
            return None
        names, minute = [each["player"]["name"] for each in event.get("players") or ()], event.get("time_of_play", "")
        found = [
            each.uid
            for each in facts
            if each.names[:1] == names[:1] and each.is_said(minute) and (names or each.kind == event["event_type"])
        ]
        require(found, "a post is about nobody:", event)
        return found[0]

    def _shown(self, name: str) -> str:
        """All that readers see of the liveblog."""
        game = self.store.raw.execute("SELECT doc, local_status FROM games WHERE id = ?", (name,)).fetchone()
        query = "SELECT local_id, doc, local_status FROM events WHERE game_id = ? AND local_status = 0 ORDER BY sort"
        return json.dumps([game, self.store.raw.execute(query, (name,)).fetchall()])

    def _versions(self) -> dict[str, int]:
        return dict(self.store.raw.execute("SELECT id, version FROM games").fetchall())

    def _is_there(self, local_id: str) -> bool:
        return self.store.raw.execute("SELECT 1 FROM events WHERE local_id = ?", (local_id,)).fetchone() is not None

    def _is_public(self, local_id: str) -> bool:
        query = "SELECT 1 FROM events WHERE local_id = ? AND local_status = 0"
        return self.store.raw.execute(query, (local_id,)).fetchone() is not None

    def _committed(self, touched: Mapping[str, int]) -> None:
        for name, version in touched.items():
            query = "SELECT count(*) FROM outbox WHERE game_id = ? AND version = ?"
            (rows,) = self.store.raw.execute(query, (name, version)).fetchone()
            require(rows == 1, "a version is not in the outbox:", name, version)

    def _check_deliveries(self) -> None:
        """What receivers are sent in the order of the numbers: each number once, and versions that rise."""
        query = "SELECT number, game_id, version FROM outbox WHERE number IS NOT NULL ORDER BY number"
        for number, name, version in self.store.raw.execute(query).fetchall():
            low, high = self._gone_numbers
            require(not low < number <= high, "a delivery number was given twice:", number, name, version)
            if number > self._last:
                require(version > self._delivered.get(name, 0), "an older version was delivered later:", name, version)
                self._delivered[name], self._last = version, number
        for name, version in self._versions().items():
            require(self._delivered.get(name, 0) >= version, "a version is never delivered:", name, version)

    # What is chosen

    def _liveblog(self) -> str:
        return self.seeded.choice(sorted(self.expected))

    def _fact(self, *, play: bool | None = None) -> Fact | None:
        there = self.truth.there(play=play)
        return self.seeded.choice(there) if there else None

    def _post(self, *, public: bool | None = None, by_hand: bool = False) -> tuple[str, int] | None:
        """A post that editors see, and that the provider still has: liveblog and uid.

        Whose status is to be changed (`public`: from what) is in a liveblog that follows its match: one that is changed and
        changed back before the sync looks has not been touched. `by_hand`: with a headline of theirs.
        """
        found = []
        for (name, uid), local_id in sorted(self._names.items()):
            if name not in self.expected or not self.truth.facts[uid].there or not self._is_there(local_id):
                continue
            expected = self.expected[name]
            wish = expected.wish(uid)
            fits = public is None or (expected.open and public is (uid in self._posts(name)))
            if not wish.deleted and fits and (not by_hand or wish.headline or wish.minute or wish.bare):
                found.append((name, uid))
        return self.seeded.choice(found) if found else None


def _at(minute: str) -> Callable[[Document], Document]:
    return lambda said: {**said, "sport_event": {**said["sport_event"], "time_of_play": minute}}


def play(seed: int, steps: Iterable[int] = range(STEPS)) -> list[str]:
    """What happened in these steps of the history of this seed. Raises Violation, with what happened before it."""
    history = History(seed)
    before = structlog.get_config()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(50))
    try:
        asyncio.run(history.play(steps))
    except Exception as error:
        error.add_note(f"(seed={seed}: {' '.join(history.trace)})")
        raise
    finally:
        structlog.configure(**before)
    return history.trace


def broken(seed: int, steps: Iterable[int] = range(STEPS)) -> str:
    """What these steps of the history of this seed break; empty where it is nothing."""
    try:
        play(seed, steps)
    except Violation as error:
        return str(error)
    except Exception as error:  # noqa: BLE001 -- whatever fails inside is a broken history
        return f"{type(error).__name__}: {error}"
    return ""


def check(seed: int, steps: Iterable[int] = range(STEPS)) -> None:
    """Raises what the history breaks, in as few of its steps as still break the same promise."""
    if found := broken(seed, steps):
        left = shortest(tuple(steps), lambda fewer: promise(broken(seed, fewer)) == promise(found))
        numbers = " ".join(map(str, (seed, *left)))
        try:
            play(seed, left)
        except Exception as error:
            error.add_note(f"shortest of {found!r}; alone: python -m tests.simulation.histories {numbers}")
            raise


if __name__ == "__main__":
    number, *chosen = map(int, sys.argv[1:])
    print(" ".join(play(number, chosen or range(STEPS))))  # noqa: T201
