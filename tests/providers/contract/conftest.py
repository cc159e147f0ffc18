"""How long the contract's adapters wait for an answer, and a store for what they are polled of."""

import pytest

from tests.kit.scripted import store

__all__ = ["store"]


@pytest.fixture(autouse=True)
def patient(request, monkeypatch):
    """No answer is late because the machine is busy; where none ever comes, a moment is enough."""
    params = request.node.callspec.params if hasattr(request.node, "callspec") else {}
    hangs = "rule" in params and params["rule"].id == "fetch.slow"
    monkeypatch.setattr("providers.contract.case.TIMEOUT", 0.2 if hangs else 30.0)
