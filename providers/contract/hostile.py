"""Rules for bodies that are well-formed and wrong: each field in turn is removed, nulled, retyped, poisoned and doubled."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from mapping.errors import DownstreamRejected, InvalidRequest
from mapping.match.match import Match
from providers.base import Fetched, ProviderAdapter
from providers.contract.case import Case, Opened, Sample, Violation, bodies_of, expect, known_of
from providers.contract.matches import keys_of, walk, without_faults
from providers.contract.mutations import MUTATIONS, ODD, POISONED, RETYPED, Bodies, Hurt, hurt, move_rows
from providers.contract.server import Reply

DOCUMENTED = (DownstreamRejected, InvalidRequest)
"""What `translate` may raise: there is no match, or its sport is not supported."""

ROW_CACHE_BYTES = 2**25
"""Of thousands of bodies with one field hurt, the row with that field alone is translated anew, as in the daemon."""

REFUSED = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


async def survives(case: Case) -> None:
    for sample, adapter, bodies in [await _open_sample(case, sample) for sample in case.samples]:
        for each in (
            *hurt(bodies, MUTATIONS, notation=sample.notation, every=case.every),
            *hurt(bodies, ODD, rows=1, notation=sample.notation, every=case.every),
        ):
            _translate_hurt(adapter, sample, each)


async def faults(case: Case) -> None:
    for sample, adapter, bodies in [await _open_sample(case, sample) for sample in case.samples]:
        whole = adapter.translate(sample.match_id, bodies)
        for each in hurt(bodies, (RETYPED,), notation=sample.notation, every=case.every):
            match = _translate_hurt(adapter, sample, each)
            if match is None or without_faults(match) == without_faults(whole):
                continue
            expect(match.faults, f"{sample.name}: {each}: lost without a Fault")
            expect(names_field(match, each), f"{sample.name}: {each}: no Fault names it: {match.faults[:1]}")


async def keeps(case: Case, rows: int = 3) -> None:
    """`rows`: of each list in which a field is hurt."""
    for sample in case.samples:
        async with _with_cache(case).open(sample) as opened:
            whole = await opened.fetch()
            bodies = bodies_of(whole)
            before = opened.translate(bodies)
            notation = sample.notation
            for each in (*hurt(bodies, MUTATIONS, rows, notation, case.every), *move_rows(bodies, notation)):
                match = None if each.corrects else _translate_hurt(opened.adapter, sample, each)
                gone = {} if match is None else missing(before, match)
                if match is None or not gone or await _is_refused(opened, whole, each):
                    continue
                lost = taken_back(gone, match, opened.adapter.text_resource)
                expect(not lost, f"{sample.name}: {each}: lost {', '.join(sorted(lost)[:3])}")
                expect(names_field(match, each), f"{sample.name}: {each}: no Fault names it: {match.faults[:1]}")


def missing(before: Match, now: Match) -> dict[str, str]:
    """Key → source of the posts that the later match does not want; text on an incident is no post of its own."""
    wanted = _posts(now)
    return {key: source for key, source in _posts(before).items() if key not in wanted}


def _posts(match: Match) -> dict[str, str]:
    alone = {comment.key: "text" for comment in match.comments if comment.incident_key is None}
    return {**alone, **{incident.key: "play" for incident in match.incidents}}


def taken_back(gone: Mapping[str, str], match: Match, text_resource: str | None) -> frozenset[str]:
    """The missing posts that a second such response would withdraw: readable, in no resource that blocks withdrawals."""
    hidden = {"text" if resource == text_resource else "play" for resource in match.withdrawal_blocked}
    return frozenset(key for key, source in gone.items() if source not in hidden) - match.unreadable


def names_field(match: Match, each: Hurt) -> bool:
    """Whether a fault names the field."""
    return any(each.field in f"{fault.row} {fault.field} {fault.reason}" for fault in match.faults)


async def _is_refused(opened: Opened, whole: Fetched, each: Hurt) -> bool:
    """Whether the answer fails as a whole where the good one is known: then that stands."""
    good, reply = bodies_of(whole)[each.resource], Reply(body=each.bodies[each.resource])
    opened.server.spoil = lambda path: reply if opened.server.body(path) == good else None
    again = await opened.fetch(known_of(whole.answers), whole.hints)
    opened.server.spoil = lambda _: None
    return any(answer.resource == each.resource for answer in again.failed)


async def doubles(case: Case) -> None:
    for sample, adapter, bodies in [await _open_sample(case, sample) for sample in case.samples]:
        known = set(keys_of(adapter.translate(sample.match_id, bodies)))
        for each in move_rows(bodies, sample.notation):
            match = _translate_hurt(adapter, sample, each)
            keys = [] if match is None else keys_of(match)
            expect(len(set(keys)) == len(keys), f"{sample.name}: {each}: keys stand twice")
            expect(set(keys) <= known, f"{sample.name}: {each}: becomes something new")


async def characters(case: Case) -> None:
    for sample, adapter, bodies in [await _open_sample(case, sample) for sample in case.samples]:
        for each in hurt(bodies, (POISONED,), notation=sample.notation, every=case.every):
            match = _translate_hurt(adapter, sample, each)
            expect(REFUSED.search(_texts(match)) is None, f"{sample.name}: {each}: control characters come through")


async def _open_sample(case: Case, sample: Sample) -> tuple[Sample, ProviderAdapter, Bodies]:
    return sample, *await _with_cache(case).bodies(sample)


def _with_cache(case: Case) -> Case:
    return replace(case, row_cache_bytes=ROW_CACHE_BYTES)


def _translate_hurt(adapter: ProviderAdapter, sample: Sample, each: Hurt) -> Match | None:
    """The match in hurt bodies, None where there is none. Violation for any other exception than the documented ones."""
    try:
        match = adapter.translate(sample.match_id, each.bodies)
    except DOCUMENTED:
        return None
    except Exception as error:  # a crash, whatever it is
        raise Violation(f"{sample.name}: {each}: {type(error).__name__}: {error}") from error
    for fault in match.faults:
        expect(fault.resource and fault.reason, f"{sample.name}: {each}: a Fault that says nothing: {fault}")
    return match


def _texts(match: Match | None) -> str:
    """All texts of a match as one."""
    values = () if match is None else (value for _, value in walk("match", match))
    return "".join(value for value in values if isinstance(value, str))
