"""How the product is built stays as it is drawn: `make house` measures it, docs/architecture.md shows the figures."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools import house
from tools.house import circles, figures, loose, participles, spread, structure, two_way_doors

ROOT = Path(__file__).resolve().parents[1]


def numbers(text):
    return [int(each) for each in text.split(",")]


def test_no_figure_is_above_its_bar_and_the_architecture_shows_each(measured):
    """Rooms have no doors that lead both ways, capabilities stay in their folders, functions say what they do."""
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    above = [row for row in measured if any(a > b for a, b in zip(numbers(row[1]), numbers(row[2]), strict=True))]

    assert above == []
    assert [row for row in measured if "| {} | {} | {} |".format(*row) not in page] == []


@pytest.fixture(scope="module")
def measured():
    return figures(structure())


@pytest.fixture
def built(tmp_path):
    """A product with one of each fault."""
    files = {
        "api/app.py": "from api.feeds import rss",
        "api/feeds/rss.py": "from api.page.page import shown",
        "api/page/page.py": "def f():\n    from api.feeds.rss import x\n\ndef shown(): ...\ndef read(): ...",
        "api/page/polls.py": "",
        "api/polls/endpoint.py": "",
        "api/page/front.py": "from api.polls import endpoint",
        "api/hub.py": "import api.polls.endpoint\nimport api.comments.endpoint\nimport store.readers.tables",
        "api/comments/endpoint.py": "",
        "store/readers/tables.py": "",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path


def test_each_fault_is_found(built):
    """A door that leads both ways, a circle, a piece of a capability in another folder, a participle."""
    made = structure(built)

    assert two_way_doors(made, "api") == [("api/feeds", "api/page")]
    assert circles(made) == [["api/feeds/rss.py", "api/page/page.py"]]
    assert loose(made, "api") == ["api/app.py", "api/hub.py"]
    where = spread(made, "polls")
    assert (where.folders, where.hubs, where.others) == (
        ["api/page", "api/polls"],
        ["api/hub.py"],
        ["api/page/front.py"],
    )
    assert participles(built) == ["api/page/page.py:shown"]


def test_it_prints_what_it_counts(capsys, monkeypatch, measured):
    """One line a figure; with `--list` what stands behind them."""
    monkeypatch.setattr("sys.argv", ["house", "--list"])
    house.main()
    lines = capsys.readouterr().out.splitlines()

    assert len(lines) > len(measured)
    assert lines[0].startswith("two-way doors between rooms of api")
