"""The capability of readers who take part."""

from __future__ import annotations

from api.http.capability import Capability
from api.http.routing import Route
from api.readers import endpoint as readers
from api.readers.request_reader import ReaderLimits

# fmt: off
ROUTES = (
    Route("POST", readers.PATH, readers.token, "reader", readers.TOKEN),
)
# fmt: on

READERS = Capability(
    name="readers",
    routes=ROUTES,
    parts=lambda services, monotonic: (ReaderLimits(services.settings.readers, monotonic),),
)
