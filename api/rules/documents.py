"""A follow rule as the API has it: the fields of `[[follow]]` in camelCase, checked as those of the configuration are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from config.organizations import DeclaredId, FollowEntry, FollowTerms
from config.sections import Section
from mapping.documents.base import describe, field_path, one_of_required
from mapping.errors import Unprocessable

_WIRE = ConfigDict(alias_generator=to_camel, extra="ignore")
_ABOUT = one_of_required("competition", "team")


class FollowRuleDraft(FollowTerms):
    """What is sent to make a rule, or to change one."""

    model_config = ConfigDict(**_WIRE, json_schema_extra=_ABOUT)

    key: DeclaredId


class MissingLiveblog(Section):
    """A match without the liveblog that the rule should have made, and why; times are Unix seconds."""

    model_config = _WIRE

    provider: str
    match_id: str
    title: str
    kickoff: int | None
    reason: str
    since: int


class ListedFollowRule(FollowRuleDraft):
    """A rule as it stands. `read_only`: it is one of the configuration; `rests`: why it makes nothing, null where it does."""

    read_only: bool
    rests: str | None
    missed: Annotated[tuple[MissingLiveblog, ...], Field(max_length=1000)]


def read_rule(organization_id: str, body: Mapping[str, Any]) -> FollowEntry:
    """The rule that a body describes; null stands for what is left out. Raises Unprocessable with the field at fault."""
    given = {name: value for name, value in body.items() if value is not None}
    try:
        draft = FollowRuleDraft.model_validate(given, by_alias=True, by_name=False)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        said = describe(first)
        raise Unprocessable(said, field=field_path(first) or _about(said)) from None
    return FollowEntry.model_validate({**draft.model_dump(), "organization": organization_id})


def change_rule(entry: FollowEntry, body: Mapping[str, Any]) -> FollowEntry:
    """The rule with what a body changes of it; null puts a field back to what it is by itself. Raises Unprocessable."""
    before = FollowRuleDraft.model_validate(entry.model_dump(exclude={"organization"}), by_alias=False, by_name=True)
    return read_rule(entry.organization, {**before.model_dump(mode="json", by_alias=True), **body, "key": entry.key})


def _about(said: str) -> str:
    """The field that what is wrong between several fields is shown at."""
    return "standby" if "standby" in said else "competition"
