"""Which liveblog a write is about, as far as it is known."""

from __future__ import annotations

from api.view import liveblog_access
from api.view.liveblog_access import LiveblogIndex


def test_what_was_not_written_for_long_is_forgotten_first(monkeypatch):
    """However many events there are, so many names are kept."""
    monkeypatch.setattr(liveblog_access, "INDEXED", 3)
    known = LiveblogIndex()
    for number in range(3):
        known.note(f"e{number}", "g1")
    known.note("e0", "g2")
    known.note("e3", "g1")

    assert [known(f"e{number}") for number in range(4)] == ["g2", None, "g1", "g1"]
