"""Faults that are planted into the product, one for each guard and rule of the sync: histories have to find them.

`python -m tests.simulation.plants` (of `make mutants`) says which they do not find; with a word behind it, of those whose rules
have the word.
"""

# ruff: noqa: E501 -- lines of the product stand here as they are there

import ast
import sys
from concurrent.futures import ProcessPoolExecutor
from itertools import count, takewhile
from multiprocessing import get_context
from time import process_time
from typing import NamedTuple

import pytest

from tests.simulation.histories import broken
from tools.mutants import ROOT, Unit, apply, units_of

SECONDS = 60.0
"""Of processor, in which a fault has to be found."""
WANTED = 0.9
"""The share of the faults that are found."""


class Plant(NamedTuple):
    """`rule`: what does not hold any more once `instead` stands in the place of `line`, which is once in the file."""

    rule: str
    file: str
    line: str
    instead: str


def planted(plant: Plant) -> Unit:
    """The function as the plant has it. Raises LookupError where its line is not in the file, or more than once."""
    source = (ROOT / plant.file).read_text(encoding="utf-8")
    if source.count(plant.line) != 1:
        raise LookupError(f"{plant.file}: not once there: {plant.line}")
    both = (units_of(plant.file, each) for each in (source, source.replace(plant.line, plant.instead)))
    return next(new for old, new in zip(*both, strict=True) if ast.dump(old.code) != ast.dump(new.code))


class Sought(NamedTuple):
    """For how long (seconds of processor) histories were played with a plant, and what they say of it; empty: nothing."""

    seconds: float
    said: str


def seek(plant: Plant) -> Sought:
    """Play histories until one of them breaks."""
    began = process_time()
    with pytest.MonkeyPatch.context() as patch:
        apply(planted(plant), patch.setattr)
        seeds = takewhile(lambda _: process_time() < began + SECONDS, count())
        found = next(filter(None, map(broken, seeds)), "")
    return Sought(process_time() - began, found)


def _plants(text: str) -> tuple[Plant, ...]:
    lines = iter([each.strip() for each in text.splitlines() if each.strip()])
    return tuple(Plant(rule, *next(lines).split(": ", 1), next(lines).removeprefix("→ ")) for rule in lines)


PLANTS = _plants("""
    What is posted is known, and not posted again.
    mapping/posts/reconcile.py: if post.key in ledger
    → if False
    A row that comes under another id keeps its post.
    ingest/sync/liveblog_sync.py: keys = match_reissued(posts, entries)
    → keys = {}
    A row under another id is the same one within two minutes alone.
    mapping/posts/belief_from_posts.py: near = [each for each in same if _apart(each.said, post.document) <= _most_apart(each)]
    → near = same
    A row under another id is the same one where kind, team and people are.
    mapping/posts/belief_from_posts.py: return (kind, _identity(event.get("team")), *people)
    → return (kind,)
    A row that comes corrected under another id keeps its key.
    mapping/belief/confirm.py: answer, keys = with_kept_keys(was, answer, before.memory.keys, reviewed.union(before.memory.disallowed))
    → keys = before.memory.keys
    What marks a period is keyed by the period, whatever its id.
    providers/heim/clock.py: key=period.key,
    → key=f"period:{event.id}",
    The blocks of a post keep their names under another id.
    ingest/sync/ledger_posts.py: key if entry is None else entry.block_key or key, part)
    → key, part)
    A match that is over is its id and its day.
    mapping/match/identity.py: if over and is_another_day(before, now):
    → if False:
    A match is its id and its teams.
    mapping/match/identity.py: return settled and both_known and not before.teams & now.teams
    → return False
    The ledger belongs to liveblog and match, not to an attachment.
    store/following/sources.py: close_empty(unit, attachment.follow_id)
    → unit.conn.exec_driver_sql("DELETE FROM ledger WHERE game_id = ?", (attachment.game_id,))
    Closing belongs to the attachment.
    store/following/closing.py: closed = [row.game_id for row in rows if serves(row.organization_id)]
    → closed = []
    A step back is not believed at once.
    mapping/belief/confirm.py: if before is None:
    → if True:
    A lower score waits.
    mapping/belief/confirm.py: return guard_value(before.score, after.score, Part.SCORE, "score", doubts)
    → return after.score
    An incident that is gone waits.
    mapping/belief/confirm.py: rows = guard_rows(before.incidents, after, lambda each: each.key, _carried_in, doubts, stays=stays)
    → rows = tuple(after)
    A text that is gone waits.
    mapping/belief/confirm.py: rows = guard_rows(known, after, lambda each: each.key, lambda _: Part.TEXT, doubts, stays=kept)
    → rows = tuple(after)
    An earlier state waits.
    mapping/belief/confirm.py: return kept if doubts.keep(Part.STATE, "state", was, now) else {}
    → return {}
    A person who is gone from a squad waits.
    mapping/belief/doubts.py: rows = guard_rows(stayed, after, lambda each: f"{name} {each.ext_id}", lambda _: Part.SQUADS, doubts)
    → rows = tuple(after)
    A period's row that is gone waits.
    mapping/belief/doubts.py: if name not in rows and (stays(each) or doubts.keep(part(each), name, each))
    → if name not in rows and not name.startswith("period:") and (stays(each) or doubts.keep(part(each), name, each))
    Half of a substitution that is gone waits.
    mapping/belief/doubts.py: return guard_value(before, after, part(before), name, doubts)
    → return after
    Only the same value again confirms a step back.
    mapping/belief/doubts.py: known = earlier if earlier is not None and earlier.value == new.value else None
    → known = earlier
    Only the resource that carries a value confirms it.
    mapping/belief/doubts.py: if part not in self.good:
    → if False:
    A resource that fails confirms nothing.
    ingest/sync/previous_belief.py: part for part, carriers in carried_by.items() if carriers & answered and not carriers & answered & bad
    → part for part, carriers in carried_by.items() if carriers & answered
    A step back that was undone needs more the next time.
    mapping/belief/doubts.py: return min(CONFIRMATIONS << self.undone, MOST_CONFIRMATIONS)
    → return CONFIRMATIONS
    An unchanged answer is another good one.
    ingest/sync/poll.py: if fetched.changed or ((match.pending or monotonic() >= match.again) and fetched.good):
    → if fetched.changed:
    A step back that goes on is believed.
    mapping/belief/doubts.py: if again.answers >= needed:
    → if False:
    While anything waits the match is polled as while it is live.
    mapping/rules/pacing.py: if pending and not (status.over and quiet >= max(pace.after_window, pace.after_max)):
    → if False:
    A first yellow card stays when the provider drops it for the second.
    mapping/belief/confirm.py: return absorbed or gone.key in answer.unreadable
    → return gone.key in answer.unreadable
    So does its text.
    mapping/belief/confirm.py: return gone.key in stays or gone.incident_key in dropped
    → return gone.key in stays
    A row in another form than the format has is a fault, and not gone.
    mapping/belief/confirm.py: return absorbed or gone.key in answer.unreadable
    → return absorbed
    The board is never below the newest goal.
    mapping/belief/goals.py: if not goals:
    → if True:
    Goals that the score has lost are under review.
    mapping/belief/goals.py: if before is None or now is None or (not known and covers(now, before)):
    → if True:
    Never more goals are under review than the score has lost.
    mapping/belief/goals.py: return _last([each for each in goals if each.key in lost], len(goals) - has)
    → return [each for each in goals if each.key in lost]
    A match that is over with the lower score takes its goals under review back.
    mapping/belief/goals.py: stay = [each for each in incidents if not ended or each.key not in lost]
    → stay = list(incidents)
    A score by decision takes no goal back.
    mapping/belief/confirm.py: if is_awarded(was, answer):
    → if False:
    A score by decision has to be said twice.
    mapping/belief/confirm.py: if was.award is None and doubts.keep(Part.SCORE, "award", None, answer.score):
    → if False:
    A match with rows of play is not back before its start.
    mapping/belief/match_course.py: return not (scored or answer.clock.phase or _has_rows_of_play(answer) or unreadable)
    → return True
    What is believed of a match moves with it.
    store/following/moves.py: _move_belief(unit, before_id, after_id)
    → pass
    A match under another id is the same one.
    store/following/moves.py: return next((row.id for row in map(follow_rows.follow_of, rows) if follow_rows.is_match(row, match)), None)
    → return None
    The posts of a match move with it.
    store/following/moves.py: ledger.move(unit, game_id, before_id, after_id)
    → pass
    What the leading source takes back stays taken back while another one is late.
    mapping/fusion/fused_match.py: if row.of(leads) and not row.older and not sources.has(leads, row):
    → if False:
    What stands by for a match has the match's keys.
    mapping/fusion/fused_match.py: keys = {row.first: row.key for row in rows if row.first and row.first != row.key}
    → keys = {row.first: row.second for row in rows if row.first}
    Matches move to the endpoint that their organization has now.
    store/following/moves.py: values = {"endpoint": endpoint, "owner": None,
    → values = {"owner": None,
    Where what was believed is lost, the posts are what was.
    ingest/sync/previous_belief.py: return belief_of_posts(answer, self.posted.posts, self.posted.board)
    → return None
    What the provider takes back is taken back.
    mapping/posts/reconcile.py: return _withdraw(entry, stands, closing=closing) if noted is None else noted
    → return None, entry
    What comes back is public again.
    mapping/posts/reconcile.py: return (wanted, False) if restored is None else (restored, True)
    → return now.local_status, False
    What stays withdrawn is deleted when the window closes.
    mapping/posts/reconcile.py: return _delete_untouched(entry, now) if closing else (None, entry)
    → return None, entry
    A goal or a sending-off that is taken back leaves a note.
    mapping/posts/reconcile.py: if note is None or (not stays and notes.makes_none(note)):
    → if True:
    Only what was public for a while leaves a note.
    mapping/posts/reconcile.py: return public and (entry.public_since is None or entry.public_since <= since)
    → return public
    A liveblog that wants silence gets no note.
    mapping/posts/withdrawal_notes.py: return self.silent or note["sport_event"]["event_type"] in self.terms.exclude_events
    → return note["sport_event"]["event_type"] in self.terms.exclude_events
    A yellow card that is taken back leaves nothing.
    mapping/posts/withdrawal_notes.py: name, texts = sport.kind(kind).withdrawn_as, translator(self.terms.locale)
    → name, texts = sport.kind(kind).withdrawn_as or "soccer.withdrawn-card", translator(self.terms.locale)
    A status that a person chose comes back with the incident.
    mapping/posts/reconcile.py: return now.local_status if _is_of_a_person(entry, now) else None
    → return None
    What a person wrote stays.
    mapping/posts/merge.py: return _merge_fields(said, current, wanted, _names(current, said, wanted))
    → return dict(wanted)
    What a sport event says is merged field by field.
    mapping/posts/merge.py: return bool(both) and name != _BLOCKS and all(now.get(field) == other.get(field) for field in _IDENTITY)
    → return False
    A block that a person removed stays removed.
    mapping/posts/merge.py: _insert_rows(name, kept, wanted, wanted.keys() - before.keys() - _by_name(name, now).keys())
    → _insert_rows(name, kept, wanted, wanted.keys() - _by_name(name, now).keys())
    A block that the ledger does not know is the editor's.
    mapping/posts/merge.py: kept = [row for row in merged if row]
    → kept = [row for row in merged if row and row["local_id"] in wanted]
    What a person hands back is the provider's again.
    api/external/handback.py: document = _give_back(event.document, said, wanted.fields, "fields")
    → document = None
    What an editor deleted stays deleted.
    mapping/posts/reconcile.py: deleted = entry.state is State.GONE or now is None or now.local_status == LocalStatus.DELETED
    → deleted = now is None
    A status that a person set stays.
    mapping/posts/reconcile.py: if _is_of_a_person(entry, now):
    → if False:
    That a person set the status is not forgotten.
    mapping/posts/reconcile.py: return entry.by_person or now.scheduled or now.local_status != entry.said_status
    → return now.scheduled or now.local_status != entry.said_status
    A correction does not publish what waits for its time.
    store/engine/liveblog_records.py: publish_at=self.publish_at,
    → publish_at=None,
    What our own terms hide is no withdrawal.
    ingest/sync/liveblog_sync.py: left_out=frozenset(source for source, is_wanted in wanted.items() if not is_wanted)
    → left_out=frozenset()
    Without automatic posting posts are drafts.
    mapping/documents/import_options.py: return not self.auto_post or kind in self.exclude_events or key in self.held
    → return kind in self.exclude_events or key in self.held
    Types that are left out are drafts.
    mapping/documents/import_options.py: return not self.auto_post or kind in self.exclude_events or key in self.held
    → return not self.auto_post or key in self.held
    Where editors publish, new posts wait for them.
    mapping/posts/reconcile.py: stands = LocalStatus.UNPUBLISHED if editorial else status
    → stands = status
    Where editors publish, settings publish nothing.
    mapping/posts/reconcile.py: waits = editorial and now.local_status == LocalStatus.UNPUBLISHED
    → waits = False
    A scoreboard that is left out stays as it is.
    mapping/liveblog/prefill.py: parts += ["scoreboard"] if terms.auto_post and not terms.exclude_scoreboard else []
    → parts += ["scoreboard"] if terms.auto_post else []
    While a liveblog is paused it stays as it is.
    ingest/sync/liveblog_sync.py: game = None if terms.paused else _lock_liveblog(unit, game_id)
    → game = _lock_liveblog(unit, game_id)
    The text on an incident is the text of its post.
    mapping/posts/posts.py: narrative = desk.narratives.get(incident.key)
    → narrative = None
    A text is sanitised.
    mapping/posts/posts.py: text = rich_text.tidy(comment.html)
    → text = comment.html
    A kick-off that is moved counts.
    mapping/belief/confirm.py: if before.kickoff is None or (after.kickoff is not None and not after.kickoff_open):
    → if before.kickoff is None:
    A post stays at its time.
    ingest/sync/liveblog_sync.py: stays = known is not None and claimed in {None, known.document.get("created_at")}
    → stays = False
    What an editor changes is looked at again.
    ingest/sync/snapshot.py: if (version, inputs.setting) != (self.version, self.setting):
    → if inputs.setting != self.setting:
    What is made of something else is looked at again.
    ingest/sync/snapshot.py: return {key for key, made in inputs.posts.items() if known.get(hash(key)) != made}
    → return frozenset()
    Every step is in the outbox.
    store/liveblogs/liveblogs.py: history.keep_game(locked, after), step, links, _note(unit, after))
    → history.keep_game(locked, after), step, links)
    Deliveries are numbered in the order of the versions.
    store/webhooks/outbox.py: ids = [row[0] for row in _COMMITTED.all(unit.conn, most=limit)]
    → ids = [row[0] for row in _COMMITTED.all(unit.conn, most=limit)][::-1]
    A restored database gives numbers that nobody has seen.
    store/upkeep/backup.py: conn.execute(update(outbox_sequence).where(outbox_sequence.c.last < first).values(last=first))
    → pass
""")


def main(word: str = "") -> int:
    """Print what is said of each plant, and how many are found."""
    plants = [each for each in PLANTS if word in each.rule]
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        found = 0
        for plant, (seconds, said) in zip(plants, pool.map(seek, plants), strict=True):
            found += bool(said)
            print(f"{seconds:5.1f} s {plant.rule} | {said or 'NOT FOUND'}"[:300], flush=True)  # noqa: T201
    print(f"{found} of {len(plants)} found")  # noqa: T201
    return found < WANTED * len(plants)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
