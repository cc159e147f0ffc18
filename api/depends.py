"""What handlers ask for by the type of their arguments: the services, the request's context, a caller who may."""

from typing import Annotated

from fastapi import Depends, Path, Request

from api.auth import Caller, proven
from api.context import Context, context_of
from api.reading import READ
from api.services import Services


def services_of(request: Request) -> Services:
    services: Services = request.app.state.services
    return services


def context(request: Request) -> Context:
    return context_of(request.scope)


Given = Annotated[Services, Depends(services_of)]
Asked = Annotated[Context, Depends(context)]


def known_caller(asked: Asked) -> Caller:
    """Whoever gave a valid secret; raises Unauthorized."""
    return proven(asked.caller)


def reader(caller: Annotated[Caller, Depends(known_caller)]) -> Caller:
    """A client that may read drafts; raises Unauthorized or Forbidden."""
    caller.demand(*READ)
    return caller


OrganizationId = Annotated[str, Path(alias="organizationId")]


def importer(organization_id: OrganizationId, caller: Annotated[Caller, Depends(known_caller)]) -> Caller:
    """A client that may create liveblogs of the path's organization from providers."""
    caller.demand("external")
    caller.demand_organization(organization_id)
    return caller


def writer(caller: Annotated[Caller, Depends(known_caller)]) -> Caller:
    """A client that may change things; raises Unauthorized or Forbidden."""
    caller.demand("write")
    return caller


Reader = Annotated[Caller, Depends(reader)]
Writer = Annotated[Caller, Depends(writer)]
