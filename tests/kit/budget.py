"""How many browser tests and processes a run starts: `make test` promises a bound for both, and breaks where a change breaks it."""

import sys
from collections import Counter
from typing import Any

import pytest

BOUNDS = {"browser tests": 60, "starts of processes": 60}
"""Of a whole `make test`; `make proof` and `make soak` have none."""
STARTS = {"subprocess.Popen", "tests.forked"}
BOUNDED = "not proof and not soak"


class Budget:
    """Counts in each process that runs tests; the one that controls them adds up, prints the sums and compares."""

    def __init__(self, config: pytest.Config) -> None:
        self.bounded = config.option.markexpr == BOUNDED
        self.counts: Counter[str] = Counter()
        self._shared = 0
        sys.addaudithook(self._hear)

    def _hear(self, event: str, _arguments: tuple[Any, ...]) -> None:
        if event in STARTS and not self._shared:
            self.counts["starts of processes"] += 1

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any) -> Any:
        """Servers that a whole run shares are no test's."""
        self._shared += fixturedef.scope == "session"
        try:
            return (yield)
        finally:
            self._shared -= fixturedef.scope == "session"

    def pytest_runtest_call(self, item: pytest.Item) -> None:
        self.counts["browser tests"] += "chromium" in getattr(item, "fixturenames", ())

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if hasattr(session.config, "workeroutput"):
            session.config.workeroutput["budget"] = dict(self.counts)
        elif self.bounded and any(self.counts[name] > most for name, most in BOUNDS.items()):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        self.counts.update(getattr(node, "workeroutput", {}).get("budget", {}))

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if self.bounded:
            terminalreporter.write_line(
                "budget: " + ", ".join(f"{self.counts[name]} of {most} {name}" for name, most in BOUNDS.items())
            )
