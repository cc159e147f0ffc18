"""Checks what a liveblog refers to before it is stored: the caller may see the records, and new teams are created."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from api.http.json_path import Json, node, text
from api.http.request import Caller
from api.view.references import check_references, records
from mapping.errors import Forbidden, Unprocessable
from mapping.match.references import Reference, references
from mapping.sports.base import is_sport
from store.clients import clients
from store.engine.unit import Unit
from store.liveblogs.search import TAG_LENGTH
from store.masterdata import declarations, masterdata_edit
from store.media.file_uses import note_uses
from store.tables import teams, tournaments

SIDES = ("home_team", "away_team")
LOCATION = "location"
TOURNAMENT = "tournament"
TEAM_FIELDS = ("name", "short_name", "name_addition", "image", "banner_image")
"""What a team that is created on the fly takes from the document that names it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteCheck:
    """The unit, the caller, and the liveblog that is written: its owner, its sport, and its document so far.

    `organizations`: the name of an id, None where there is no such organization.
    """

    unit: Unit
    caller: Caller
    organizations: Callable[[str], object]
    owner_id: str
    sportstype: str
    before: Mapping[str, Any] = field(default_factory=dict)
    made: dict[tuple[str, str], Json] = field(default_factory=dict)
    """Teams by side and name: the same name on the same side is the same team."""

    @property
    def visible(self) -> frozenset[str]:
        """Organizations whose records the document may name."""
        return self.caller.organizations | {self.owner_id}


def template(target: WriteCheck, template_id: str) -> str:
    """The sport of a template; raises Unprocessable for one that is neither declared nor looks like a sport."""
    declared = declarations.find_declaration(target.unit.conn, "template", template_id, [target.owner_id])
    if declared is not None:
        return str(declared.fields.get("sportstype") or "news")
    if not is_sport(template_id):
        raise Unprocessable("there is no such template", field="template_id")
    return template_id


def check(target: WriteCheck, sent: Json) -> None:
    """Raise Unprocessable, with the path, for an `_id` anywhere in the document that the caller may not see."""
    named = check_references(target.unit.conn, sent, visible=target.visible, known=target.before)
    _know_teams(target, [*references(target.before), *named])


def part(target: WriteCheck, wanted: Json, name: str, *, path: str) -> Json:
    """A meta info or scoreboard with its teams in place: known ones as bare references, new ones created."""
    before = node(target.before, name)
    placed = {
        side: _team(target, side, wanted[side], node(before, side), f"{path}.{side}")
        for side in SIDES
        if isinstance(wanted.get(side), dict)
    }
    if isinstance(wanted.get(LOCATION), dict):
        placed[LOCATION] = _reference(wanted[LOCATION], node(before, LOCATION), f"{path}.{LOCATION}")
    if isinstance(wanted.get(TOURNAMENT), dict):
        placed[TOURNAMENT] = _tournament(target, wanted[TOURNAMENT], node(before, TOURNAMENT), f"{path}.{TOURNAMENT}")
    return {**wanted, **placed}


def tags(target: WriteCheck, wanted: Iterable[Any], *, path: str = "tags") -> list[Any]:
    """Labels as they are stored, declared ones with their names; raises Unprocessable."""
    return [_tag(target, tag, f"{path}.{index}") for index, tag in enumerate(wanted)]


def permission(target: WriteCheck, wanted: Json, *, path: str) -> None:
    """Raise Unprocessable for a permission of an organization or client that does not exist."""
    name, kind = wanted["refid"], wanted["reftype"]
    found = target.organizations(name) if kind == "Organization" else clients.find(target.unit.conn, name)
    if found is None:
        raise Unprocessable(f"there is no such {kind.lower()}", field=f"{path}.refid")


def marketplace(target: WriteCheck, info: Json, *, path: str) -> Json:
    """The marketplace info; raises Unprocessable for a pricing that is not declared."""
    pricing = info.get("pricing")
    if pricing is None:
        return info
    pricing_id = text(pricing, "_id")
    if not _find_declaration(target, "pricing", pricing_id):
        raise Unprocessable("there is no such pricing", field=f"{path}.pricing._id")
    return {**info, "pricing": {"_type": pricing["_type"], "_id": pricing_id}}


def _know_teams(target: WriteCheck, named: Iterable[Reference]) -> None:
    """Teams that are referred to, so that their names on the same side mean them and no new ones."""
    on_side = [(each.path.split(".")[-2], (each.kind, each.id)) for each in named if "." in each.path]
    teams = [(side, name) for side, name in on_side if side in SIDES and name[0] == "Team"]
    found = records(target.unit.conn, {name for _, name in teams})
    for side, name in teams:
        if (record := found.get(name)) is not None:
            target.made.setdefault((side, record.name), {"_type": record.type, "_id": record.id})


def _team(target: WriteCheck, side: str, wanted: Json, before: Json, path: str) -> Json:
    if wanted.get("_id") or wanted.get("local_id"):
        return _reference(wanted, before, path)
    name = text(wanted, "name")
    if not name:
        raise Unprocessable("a team should be named by _id, or be a new one with a name", field=path)
    known = target.made.get((side, name))
    if known is not None:
        return known
    target.made[side, name] = made = _new_team(target, wanted, name, path)
    return made


def _new_team(target: WriteCheck, wanted: Json, name: str, path: str) -> Json:
    if target.owner_id not in target.caller.organizations:
        raise Forbidden("only the owner's clients create teams", field=path)
    fields = {each: wanted.get(each) for each in TEAM_FIELDS} | {"name": name}
    identity = {"owner_id": target.owner_id, "sportstype": target.sportstype}
    record = masterdata_edit.create(target.unit, teams, {**fields, **identity})
    note_uses(target.unit, "team", record.id, record.owner_id, after=record.document)
    return {"_type": record.type, "_id": record.id}


def _tournament(target: WriteCheck, wanted: Json, before: Json, path: str) -> Json:
    """A tournament that has a name alone is the owner's of that name, else a new one; others make none."""
    named = text(wanted, "name")
    if wanted.get("_id") or wanted.get("local_id") or not named or target.owner_id not in target.caller.organizations:
        return _reference(wanted, before, path)
    identity = {"owner_id": target.owner_id, "sportstype": target.sportstype, "name": named}
    record = masterdata_edit.find_or_create(target.unit, tournaments, identity)
    return {"_type": record.type, "_id": record.id}


def _reference(wanted: Json, before: Json, path: str) -> Json:
    """What is stored: the record alone, as the document so far has it where it named the same one."""
    if wanted.get("_id"):
        same = before.get("_id") == wanted["_id"]
        return before if same else {"_type": wanted["_type"], "_id": wanted["_id"]}
    if not text(wanted, "name"):
        raise Unprocessable("a reference should have an _id", field=path)
    return wanted


def _tag(target: WriteCheck, tag: Any, path: str) -> Any:
    named = {"name": tag} if isinstance(tag, str) else tag
    if any(len(text) > TAG_LENGTH for text in (named.get("_id"), named.get("name")) if text):
        raise Unprocessable(f"a tag has at most {TAG_LENGTH} characters", field=path)
    if named.get("_id"):
        return _declared_tag(target, named, path)
    if not named.get("name") and not isinstance(tag, str):
        raise Unprocessable("a tag should have an _id or a name", field=path)
    return tag


def _declared_tag(target: WriteCheck, tag: Json, path: str) -> Json:
    declared = _find_declaration(target, "tag", tag["_id"])
    if declared is None:
        raise Unprocessable("there is no such tag", field=f"{path}._id")
    return {"_type": tag["_type"], "_id": tag["_id"], "name": declared.fields.get("name") or tag.get("name") or ""}


def _find_declaration(
    target: WriteCheck, kind: declarations.DeclaredKind, declared_id: str
) -> declarations.Declaration | None:
    return declarations.find_declaration(target.unit.conn, kind, declared_id, [target.owner_id])
