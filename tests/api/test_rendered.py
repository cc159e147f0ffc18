"""What is kept of rendered answers, and for how long."""

from api.rendered import KEPT_SECONDS, Rendered


def test_a_body_is_kept_for_a_while():
    """Until it is too old."""
    now = 0.0
    rendered = Rendered(lambda: now)
    rendered.put("a", b"body")
    assert rendered.get("a") == b"body"

    now = KEPT_SECONDS

    assert rendered.get("a") is None


def test_room_is_bounded_by_bytes():
    """The oldest body goes first; one that alone is too large is not kept."""
    rendered = Rendered(lambda: 0.0, kept_bytes=10)
    for name in ("a", "b", "c"):
        rendered.put(name, b"12345")

    assert [rendered.get(name) for name in ("a", "b", "c")] == [None, b"12345", b"12345"]
    rendered.put("d", b"x" * 11)
    assert rendered.get("d") is None
    assert rendered.put("e", b"1234567890") == b"1234567890"
    assert rendered.get("e") == b"1234567890"
