"""The capability of the desk: who is signed in, and what is kept of it. Its pages are in `desk_routes.py`."""

from __future__ import annotations

from functools import partial

from api.desk.attendance import Attendance
from api.desk.fragment_cache import FragmentCache
from api.desk.openid_provider import OpenIdProvider
from api.desk.passwords import PasswordChecks
from api.desk.sessions_door import SessionsDoor
from api.http.capability import Capability, Purge
from api.view.liveblog_reads import StepSignal
from store.accounts import audit, sessions, sign_in_steps, sign_in_tries

DESK = Capability(
    name="desk",
    parts=lambda services, monotonic: (
        SessionsDoor(services),
        PasswordChecks(services.settings.desk.password_checks),
        FragmentCache(monotonic, services[StepSignal].next_step),
        OpenIdProvider(services.settings.desk.openid, services.clock, monotonic),
        Attendance.of(services, monotonic),
    ),
    purges=(
        Purge(
            "purge sessions",
            "43 * * * *",
            lambda settings, now: (
                partial(sessions.purge, idle=settings.desk.session_idle),
                sign_in_steps.purge,
                sign_in_tries.purge,
                partial(audit.purge, before=now - settings.desk.audit_kept),
            ),
        ),
    ),
)
