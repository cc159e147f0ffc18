"""What the hub takes, as the configuration says."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from store.hub_subscriptions import HubRoom


class HubSettings(NamedTuple):
    """Leases are seconds; `address_per_second`: requests of one address, of which a burst may come at once, 0 means no limit."""

    default_lease: int
    """Of a request that names none."""
    lease_min: int
    lease_max: int
    room: HubRoom
    address_per_second: float
    address_burst: int
