"""Metrics, alert rules and dashboard: what they name is what a daemon shows, and promtool takes it."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tools import metrics

pytestmark = pytest.mark.proof

ROOT = Path(__file__).resolve().parents[2]
RULES = ROOT / "deploy" / "prometheus"
DASHBOARD = ROOT / "deploy" / "grafana" / "matchwire.json"
NAME = re.compile(r"\bmatchwire_[a-z0-9_]+")


@pytest.fixture(scope="module")
def shown():
    return metrics.shown()


def names_in(families):
    """The names of samples that the families can have."""
    endings = {"counter": ("_total",), "histogram": ("_bucket", "_sum", "_count"), "gauge": ("",)}
    return {f"{each.name}{ending}" for each in families for ending in endings[each.type]}


def promtool(*arguments):
    if shutil.which("promtool") is None:
        reason = "promtool is not installed (Debian: prometheus)"
        return pytest.fail(reason) if os.environ.get("CI") else pytest.skip(reason)
    return subprocess.run(["promtool", *arguments], cwd=RULES, capture_output=True, text=True, timeout=120, check=False)


def test_the_table_of_metrics_is_what_a_daemon_shows():
    """After a change of metrics: python -m tools.metrics"""
    assert metrics.TARGET.read_text(encoding="utf-8") == metrics.metrics()


def test_every_metric_has_the_prefix_and_a_meaning(shown):
    """Also those of the process; a text in Prometheus's own form has the same families."""
    families = metrics.families(shown)

    assert len(families) >= 40
    assert {each.name for each in families if not each.name.startswith("matchwire_")} == set()
    assert {each.name for each in families if len(each.documentation) < 15} == set()
    plain = {each.name for each in text_string_to_metric_families(metrics.shown("text/plain"))}
    assert {each.name for each in families} <= plain


@pytest.mark.parametrize("file", sorted([*RULES.glob("*.yml"), DASHBOARD]), ids=lambda path: path.name)
def test_rules_and_dashboard_name_metrics_that_exist(shown, file):
    """A metric that is renamed fails here, not on a Saturday."""
    named = set(NAME.findall(file.read_text(encoding="utf-8")))

    assert len(named) > 3
    assert named - names_in(metrics.families(shown)) == set()


def test_promtool_takes_the_rules_and_their_tests():
    """Syntax, and alerts that come when they should and at no other time."""
    checked, tested = (
        promtool("check", "rules", "matchwire.rules.yml"),
        promtool("test", "rules", "matchwire.rules.test.yml"),
    )

    assert (checked.returncode, tested.returncode) == (0, 0), (
        checked.stdout + checked.stderr + tested.stdout + tested.stderr
    )


def test_promtool_takes_what_a_daemon_shows():
    """The exposition is well-formed; of what promtool would name otherwise nothing is an error."""
    if shutil.which("promtool") is None:
        promtool()
    done = subprocess.run(
        ["promtool", "check", "metrics"], input=metrics.shown("text/plain"), capture_output=True, text=True, timeout=60,
        check=False,
    )  # fmt: skip
    assert "error while linting" not in done.stdout + done.stderr
    assert done.returncode in {0, 3}, done.stdout + done.stderr  # 3: remarks on names
