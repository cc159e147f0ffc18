"""Logging of what fails again and again: once when it breaks, and once when it recovers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import structlog

log = structlog.get_logger()


@dataclass(slots=True)
class LogOnce:
    """The first failure in a row is logged as the event `lost`, the success that ends it as `recovered`.

    `level`: of `lost`; what recovers is `info`. `each_cause`: a failure with another cause is logged too.
    """

    lost: str
    recovered: str
    level: Literal["warning", "error"] = "warning"
    each_cause: bool = False
    cause: object = None
    failing: bool = False

    def failed(self, *, cause: object, **fields: Any) -> bool:
        """It failed; whether that was logged."""
        known = self.failing and (not self.each_cause or cause == self.cause)
        if not known:
            self.failing, self.cause = True, cause
            getattr(log, self.level)(self.lost, cause=cause, **fields)
        return not known

    def worked(self, **fields: Any) -> bool:
        """It worked; whether that was logged, because it had failed before."""
        recovered, self.failing = self.failing, False
        if recovered:
            log.info(self.recovered, **fields)
        return recovered
