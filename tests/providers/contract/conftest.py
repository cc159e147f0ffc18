"""How long the contract's adapters wait for an answer."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def patient(request, monkeypatch):
    """No answer is late because the machine is busy; where none ever comes, a moment is enough."""
    params = request.node.callspec.params if hasattr(request.node, "callspec") else {}
    hangs = "rule" in params and params["rule"].id == "fetch.slow"
    monkeypatch.setattr("providers.contract.case.TIMEOUT", 0.2 if hangs else 30.0)
