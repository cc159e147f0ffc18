"""The nine changes of a liveblog as functions from what it is to what it will be; in order, all or nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from mapping.documents.base import Document, dump
from mapping.documents.scalars import LocalStatus
from mapping.errors import Unprocessable

Json = dict[str, Any]

OWNERS_ONLY = frozenset(
    {"DeleteGameModification", "UpsertPermissionModification", "DeletePermissionModification"},
)
"""What a shared permission never allows."""
COMMON_META = ("editorial_publishing", "allow_comments", "starts_at", "title")
"""Fields that both kinds of meta info have, and keep when one becomes the other."""
BESIDE_META: Json = {"locale": "", "tags": [], "external_url": None}
"""What may change together with the meta info → empty."""
OF_MATCHES = ("scoreboard", "options", "state_info", "score_info")
"""Parts that a liveblog without a sport does not have."""
NO_SPORT = "news"
MOST_PHASES = {"baseball": 9, "softball": 7, "table_tennis": 7, "tennis": 5, "volleyball": 5}
USUAL_PHASES = 4
"""Regular phases of a sport that is not listed, at most."""
TEAM_BOARD = "Svc::Model::Content::Scoreboard::TeamGameScoreboard"
SCORE = "Svc::Model::Content::Scoreboard::ScoreboardScore"
SQUAD = "Svc::Model::Squad"
SIDES = ("home_team", "away_team")


@dataclass(frozen=True, slots=True, kw_only=True)
class Editing:
    """What modifications change of a liveblog: its document, its status, its sport."""

    document: Mapping[str, Any]
    local_status: int
    sportstype: str


def sent_fields(document: Document) -> Json:
    """The document as JSON, the fields that were sent as null or empty included as None: those are to be cleared."""
    return _with_nulls(dump(document), document.model_dump(mode="json", by_alias=True, exclude_unset=True))


def kind_of(modification: Mapping[str, Any]) -> str:
    """The last part of `_type`."""
    return str(modification["_type"]).rpartition("::")[2]


def apply(editing: Editing, modifications: Sequence[Mapping[str, Any]]) -> Editing:
    """The liveblog after all modifications (as `sent` gives them); raises Unprocessable for one after its deletion."""
    for index, modification in enumerate(modifications):
        check_for_sport(editing.sportstype, modification, path=f"modifications.{index}.")
        if editing.local_status == LocalStatus.DELETED:
            raise Unprocessable("nothing can follow the deletion of the liveblog", field=f"modifications.{index}")
        editing = CHANGES[kind_of(modification)](editing, modification)
    return editing


def check_for_sport(sportstype: str, parts: Mapping[str, Any], *, path: str = "") -> None:
    """Raise Unprocessable for what a liveblog of this sport does not have; `path` goes before the field."""
    for name in OF_MATCHES:
        if sportstype == NO_SPORT and parts.get(name) is not None:
            raise Unprocessable("a liveblog without a sport has none", field=f"{path}{name}")
    most = MOST_PHASES.get(sportstype, USUAL_PHASES)
    if ((parts.get("options") or {}).get("num_regular_phases") or 0) > most:
        raise Unprocessable(f"the sport has at most {most}", field=f"{path}options.num_regular_phases")


def _meta_info(editing: Editing, change: Mapping[str, Any]) -> Editing:
    before = editing.document.get("meta_info") or {}
    meta = _merged_meta(before, change["meta_info"])
    teams = {
        side: meta[side] for side in SIDES if side in meta and _identity(meta[side]) != _identity(before.get(side))
    }
    exchanged = _exchange_teams(editing.document, teams) if teams else editing.document
    sportstype = change.get("sportstype") or editing.sportstype
    beside = {name: change[name] or empty for name, empty in BESIDE_META.items() if name in change}
    return replace(editing, document={**exchanged, **beside, "meta_info": meta}, sportstype=sportstype)


def _merged_meta(before: Mapping[str, Any], wanted: Mapping[str, Any]) -> Json:
    """The meta info after the change; of one of another kind only what all kinds have is kept."""
    same_kind = before.get("_type") == wanted["_type"]
    kept = before if same_kind else {name: before[name] for name in COMMON_META if name in before}
    return _drop_empty({"_type": wanted["_type"], **kept, **wanted})


def _exchange_teams(document: Mapping[str, Any], teams: Mapping[str, Json]) -> Mapping[str, Any]:
    """The document with other teams on these sides of board and squads; a team that changes sides takes its squad along."""
    board, squads = document.get("scoreboard"), document.get("squads")
    known = {_identity(squad.get("team")): squad for squad in (squads or {}).values() if isinstance(squad, dict)}
    new = {
        side.removesuffix("_team"): known.get(_identity(team))
        or {"_type": SQUAD, "team": team, "lineup": [], "bench": []}
        for side, team in teams.items()
    }
    parts = {"scoreboard": board and {**board, **teams}, "squads": squads and {**squads, **new}}
    return {**document, **{name: part for name, part in parts.items() if part}}


def _identity(team: Any) -> tuple[Any, ...]:
    """What distinguishes a team from another one."""
    named = team if isinstance(team, dict) else {}
    if named.get("_id"):
        return (named["_id"],)
    return named.get("local_id"), named.get("name")


def _marketplace_info(editing: Editing, change: Mapping[str, Any]) -> Editing:
    before = editing.document.get("marketplace_info") or {}
    return _set(editing, "marketplace_info", _drop_empty({**before, **change["marketplace_info"]}))


def _replace_part(name: str) -> Callable[[Editing, Mapping[str, Any]], Editing]:
    return lambda editing, change: _set(editing, name, change[name])


def _score_info(editing: Editing, change: Mapping[str, Any]) -> Editing:
    board = editing.document.get("scoreboard") or _empty_board(editing.document)
    given = {name: value for name, value in change["score_info"].items() if name != "_type"}
    texts = {name: "" if value is None else str(value) for name, value in given.items()}
    score = {"_type": SCORE, **(board.get("score") or {}), **texts}
    return _set(editing, "scoreboard", {**board, "score": score})


def _empty_board(document: Mapping[str, Any]) -> Json:
    meta = document.get("meta_info") or {}
    return {"_type": TEAM_BOARD, **{side: meta[side] for side in SIDES if meta.get(side)}}


def _grant(editing: Editing, change: Mapping[str, Any]) -> Editing:
    permission = change["permission"]
    holder = (permission["reftype"], permission["refid"])
    others = [each for each in _permissions(editing) if (each.get("reftype"), each.get("refid")) != holder]
    return _set(editing, "permissions", [*others, permission])


def _revoke(editing: Editing, change: Mapping[str, Any]) -> Editing:
    return _set(
        editing, "permissions", [each for each in _permissions(editing) if each.get("refid") != change["refid"]]
    )


CHANGES: Mapping[str, Callable[[Editing, Mapping[str, Any]], Editing]] = {
    "UpdateGameMetaInfoModification": _meta_info,
    "UpdateGameMarketplaceInfoModification": _marketplace_info,
    "UpsertScoreboardModification": _replace_part("scoreboard"),
    "UpdateGameStateModification": _replace_part("state_info"),
    "UpdateGameOptionsModification": _replace_part("options"),
    "UpdateGameScoreInfoModification": _score_info,
    "DeleteGameModification": lambda editing, change: replace(editing, local_status=int(change["local_status"])),
    "UpsertPermissionModification": _grant,
    "DeletePermissionModification": _revoke,
}


def _set(editing: Editing, name: str, value: Any) -> Editing:
    return replace(editing, document={**editing.document, name: value})


def _permissions(editing: Editing) -> Sequence[Mapping[str, Any]]:
    return editing.document.get("permissions") or ()


def _drop_empty(fields: Mapping[str, Any]) -> Json:
    return {name: value for name, value in fields.items() if value is not None and value != ""}


def _with_nulls(full: Json, given: Mapping[str, Any]) -> Json:
    nested = {
        name: _with_nulls(full[name], value)
        for name, value in given.items()
        if isinstance(value, dict) and isinstance(full.get(name), dict)
    }
    return {**full, **nested, **{name: None for name, value in given.items() if value is None}}
