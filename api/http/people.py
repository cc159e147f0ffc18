"""People who are signed in, as everything behind the door sees them; the desk knows how they are known."""

from __future__ import annotations

from dataclasses import dataclass

from starlette.types import Scope

from api.http.request import Caller


@dataclass(frozen=True, slots=True, kw_only=True)
class DeskPerson(Caller):
    """Somebody who is signed in. `client_id` is the account's id, which no client has; `organization_id` the only one."""

    name: str
    role: str
    organization_id: str
    session_id: str


class PeopleDoor:
    """Knows people by the sessions of their browsers. This one knows nobody: the desk has one that does."""

    async def person(self, scope: Scope, *, page: bool) -> DeskPerson | None:  # noqa: ARG002 -- for those that know somebody
        """Who sends the request, None for nobody; `page`: a page of the desk, to which links of other sites may lead.

        Raises Forbidden for a write that another site has made a browser send.
        """
        return None

    def presents(self, scope: Scope) -> bool:  # noqa: ARG002 -- as above
        """Whether the request brings what a session is known by."""
        return False

    async def record(self, person: DeskPerson, operation: str, target: str) -> None:
        """Write down what the person has done."""
