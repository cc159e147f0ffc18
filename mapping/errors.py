"""What can go wrong, raised where the meaning is known; `api.http.errors` gives each its HTTP status.

ServiceError
├── InvalidRequest             malformed, or required data missing
├── Unauthorized
├── Forbidden
│   └── ProviderRefused        the provider rejects the organization's credentials
├── NotFound
│   └── MatchUnknown           the provider does not know the match
├── Conflict
├── PayloadTooLarge
├── Unprocessable              well-formed, but not the document that the request needs
│   └── DownstreamRejected     the provider gave a match that our own validation refuses
├── RateLimited
├── UpstreamUnavailable        the provider did not answer, or not with anything that can be used
│   └── BadBody                … not JSON, empty, cut off, too large
└── StoreUnavailable           the database did not answer in time
"""

from __future__ import annotations

from typing import ClassVar


class ServiceError(Exception):
    """An error that the API reports to its caller: `{code, message, field?, retryable}` (interface: Errors)."""

    code: ClassVar[str] = "internal"
    retryable: ClassVar[bool] = False

    def __init__(self, message: str, *, field: str | None = None, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.field = field
        self.retry_after = retry_after
        """Seconds after which another try makes sense, where known."""

    def body(self) -> dict[str, object]:
        """The JSON error body; `field` only where there is one."""
        at = {} if self.field is None else {"field": self.field}
        return {"code": self.code, "message": self.message, **at, "retryable": self.retryable}


class InvalidRequest(ServiceError):
    code = "invalid_request"


class Unauthorized(ServiceError):
    code = "unauthorized"


class Forbidden(ServiceError):
    code = "forbidden"


class ProviderRefused(Forbidden):
    """The provider rejects the endpoint's credentials (401 or 403 upstream)."""


class NotFound(ServiceError):
    code = "not_found"


class MatchUnknown(NotFound):
    """The provider has no such match."""


class Conflict(ServiceError):
    code = "conflict"


class PayloadTooLarge(ServiceError):
    code = "payload_too_large"


class Unprocessable(ServiceError):
    code = "invalid_request"


class DownstreamRejected(Unprocessable):
    """The provider's match is well-formed, but cannot become a liveblog."""

    code = "downstream_rejected"


class RateLimited(ServiceError):
    code = "rate_limited"
    retryable = True


class UpstreamUnavailable(ServiceError):
    """The provider did not answer; the same request may work later."""

    code = "upstream_unavailable"
    retryable = True


class BadBody(UpstreamUnavailable):
    """The provider answered 200 with something that is not its format; the last good body stands."""


class StoreUnavailable(ServiceError):
    """The database did not take the unit in time; nothing is written, or the outcome is unknown and a retry is safe."""

    retryable = True
