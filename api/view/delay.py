"""As of when a reader sees a liveblog: now, or some seconds ago, as the request, its client or the organization wants it.

Whoever renders is given the game and a connection that read that moment, and knows nothing of delays but the time it is.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import NamedTuple

from api.http.param import Integer, Limit, Query
from api.http.request import ApiRequest, Caller
from config import Settings
from mapping.rules.versions import known_since
from store.liveblogs.liveblogs import StoredGame

Find = Callable[[str, int | None], Awaitable[StoredGame | None]]
"""The liveblog of a name, as it stood at a moment or is now."""


NAME = "delay"
LONGEST = 86_400
"""Seconds of the longest delay that can be configured."""
STEPS = ((10, 1), (120, 10), (900, 60), (LONGEST, 900))
"""(up to, step) in seconds: a requested delay is rounded up to a multiple of the step, because each delay has bodies and streams
of its own."""
PARAMETER = Integer(
    NAME,
    "See the liveblog as it stood so many seconds ago; at most what `limits.delay_max` in the configuration says. Above 10 it"
    " is rounded up to tens of seconds, above 120 to minutes, above 900 to quarters of an hour",
    high=Limit("delay_max"),
)


class DelayedView(NamedTuple):
    """What a request sees of a liveblog: the game as of `delay` seconds ago, when it was `now` (Unix seconds).

    `at`: the moment for reads of the store, None for the present; `newest`: the version that the liveblog has now.
    """

    game: StoredGame | None
    delay: int
    now: float
    at: int | None
    newest: int = 0

    def known_since(self, since: int, version: int) -> int:
        """The version after which a reader who has `since` wants the changes; 0 for one who begins anew."""
        return 0 if self.has_lost else known_since(since, version)

    @property
    def has_lost(self) -> bool:
        """Whether posts that stood then have been taken down since: a reader who has them begins anew."""
        return self.at is not None and self.game is not None and self.game.updated_at >= self.at


async def view_of(request: ApiRequest, name: str, find: Find, query: Query | None = None) -> DelayedView:
    """The liveblog of that name as the request may see it; `query`: where the delay may stand, if not in that of the request.

    Raises InvalidRequest for a delay that is too long.
    """
    settings, now = request.services.settings, request.services.clock()
    caller, wanted = request.context.caller, requested_delay(request, query)
    current = await find(name, None)
    delay = max(wanted, 0 if current is None else public_delay(current.organization_id, settings, caller))
    at = moment(now, delay)
    newest = 0 if current is None else current.version
    return DelayedView(current if at is None else await find(name, at), delay, now - delay, at, newest)


def requested_delay(request: ApiRequest, query: Query | None = None) -> int:
    """The delay that the request or its client wants. Raises InvalidRequest."""
    settings, caller = request.services.settings, request.context.caller
    given = in_query(request.context.query if query is None else query, settings.limits.longest_delay)
    return max(given, _client_delay(settings, caller))


def _client_delay(settings: Settings, caller: Caller | None) -> int:
    configured = None if caller is None else settings.clients.get(caller.client_id)
    return 0 if configured is None else configured.delay


def in_query(query: Query, longest: int) -> int:
    """The delay that a query wants, as one of few: never less than it says. Raises InvalidRequest beyond the longest one."""
    if NAME not in query:
        return 0
    seconds = PARAMETER.of(query, high=longest)
    step = next(each for most, each in STEPS if seconds <= most)
    return min(-(-seconds // step) * step, longest)


def public_delay(organization_id: str, settings: Settings, caller: Caller | None) -> int:
    """The delay that the organization wants for all but its own writers, who see the present."""
    writes = caller is not None and caller.proven and "write" in caller.scopes
    if writes and caller is not None and organization_id in caller.organizations:
        return 0
    return settings.organization(organization_id).delay


def longer(request: ApiRequest) -> dict[str, int]:
    """The delays of organizations that are longer than what the request wants, as they apply to its caller."""
    settings, wanted = request.services.settings, requested_delay(request)
    own = {name: public_delay(name, settings, request.context.caller) for name in settings.organizations}
    return {name: seconds for name, seconds in own.items() if seconds > wanted}


def moment(now: float, delay: int) -> int | None:
    """The moment that is read at a time by those who see everything so many seconds later; None for the present."""
    return int(now) - delay if delay else None
