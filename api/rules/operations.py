"""What is done with follow rules, by the API and at the desk alike: list, make, change and delete them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from pydantic.alias_generators import to_camel
from sqlalchemy import Connection

from api.http.param import digest_of
from api.http.request import RuleEngine, Services
from api.rules.documents import change_rule, read_rule
from config.organizations import FollowEntry
from mapping.errors import Conflict, NotFound, Unprocessable
from store.engine.unit import Unit
from store.following import rules
from store.following.rules import MissedMatch, StoredRule

IN_FILE = "the rule stands in the configuration, and is changed there"


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedRule:
    """A rule with what there is to say of it. `entry`: None where what is stored is no rule any more; `rests`: why it does."""

    key: str
    entry: FollowEntry | None
    read_only: bool
    rests: str | None
    missed: tuple[MissedMatch, ...]


async def list_rules(services: Services, organization_id: str) -> list[ListedRule]:
    """The organization's rules: those of the configuration in its order, then the others by their keys."""

    def read(conn: Connection) -> tuple[list[StoredRule], list[MissedMatch]]:
        return rules.stored_rules(conn, organization_id), rules.list_missed(conn, organization_id)

    stored, missed = await services.store.read(read)
    engine = services[RuleEngine]
    listed = [
        ListedRule(key=each.key, entry=each, read_only=True, rests=None, missed=_of(each.key, missed))
        for each in _in_file(services, organization_id)
    ]
    for row in stored:
        entry = FollowEntry.of_fields(organization_id, row.key, row.fields)
        fault = "cannot be read" if entry is None else next((text for _, text in engine.faults(entry)), None)
        found = _of(row.key, missed) if fault is None else ()
        listed.append(ListedRule(key=row.key, entry=entry, read_only=False, rests=fault, missed=found))
    return listed


async def make_rule(services: Services, organization_id: str, body: Mapping[str, Any]) -> ListedRule:
    """Make a rule, which counts at once; the same one once more is the same rule. Raises Conflict and Unprocessable."""
    entry = read_rule(organization_id, body)
    if any(each.key == entry.key for each in _in_file(services, organization_id)):
        raise Conflict(IN_FILE, field="key")
    _check(services, entry)

    def write(unit: Unit) -> None:
        there = rules.find_rule(unit.conn, organization_id, entry.key)
        if there is None or there.fields != entry.fields:
            rules.add_rule(unit, organization_id, entry.key, entry.fields)

    await services.store.write(write)
    return _at_work(services, entry)


async def change(
    services: Services, organization_id: str, key: str, body: Mapping[str, Any], *, expected: str | None = None
) -> ListedRule:
    """Change fields of a rule, from now on. `expected`: the `state_of` the rule that the change was written for.

    Raises NotFound, Conflict for one of the configuration or one that another change has reached first, and Unprocessable.
    """
    if any(each.key == key for each in _in_file(services, organization_id)):
        raise Conflict(IN_FILE)

    def write(unit: Unit) -> FollowEntry:
        there = rules.find_rule(unit.conn, organization_id, key)
        if there is None:
            raise NotFound("there is no such rule")
        before = FollowEntry.of_fields(organization_id, key, there.fields)
        if expected is not None and before is not None and state_of(before) != expected:
            raise Conflict("somebody else has changed the rule meanwhile", field="state")
        after = read_rule(organization_id, {**body, "key": key}) if before is None else change_rule(before, body)
        _check(services, after)
        rules.change_rule(unit, organization_id, key, after.fields)
        return after

    return _at_work(services, await services.store.write(write))


def state_of(entry: FollowEntry) -> str:
    """What the fields of a rule are known by: another one once any of them has changed."""
    return digest_of(entry.fields)


async def remove(services: Services, organization_id: str, key: str) -> None:
    """Delete a rule; what it has made stays. Raises NotFound, and Conflict for one that only the configuration has."""
    in_file = any(each.key == key for each in _in_file(services, organization_id))
    try:
        await services.store.write(partial(rules.delete_rule, organization_id=organization_id, key=key))
    except NotFound:
        if in_file:
            raise Conflict(IN_FILE) from None
        raise
    services[RuleEngine].look_again(organization_id)


def _at_work(services: Services, entry: FollowEntry) -> ListedRule:
    """The rule, which is written, and counts from now on."""
    services[RuleEngine].look_again(entry.organization)
    return ListedRule(key=entry.key, entry=entry, read_only=False, rests=None, missed=())


def _check(services: Services, entry: FollowEntry) -> None:
    """Raise Unprocessable for what keeps the rule from its work."""
    for path, text in services[RuleEngine].faults(entry):
        raise Unprocessable(text, field=field_name(path))


def field_name(path: Iterable[object]) -> str:
    """A field of the configuration as the API writes it.

    >>> field_name(("exclude_events", 0))
    'excludeEvents.0'
    """
    first, *rest = map(str, path)
    return ".".join([to_camel(first), *rest])


def _in_file(services: Services, organization_id: str) -> list[FollowEntry]:
    return [each for each in services.settings.follow if each.organization == organization_id]


def _of(key: str, missed: Iterable[MissedMatch]) -> tuple[MissedMatch, ...]:
    return tuple(each for each in missed if each.rule == key)
