"""What is kept of rendered answers, and for how long."""

from api.http.rendered import KEPT_SECONDS, OVERHEAD, Rendered, Rendering


def test_a_body_is_kept_for_a_while():
    """Until it is too old."""
    now = 0.0
    rendered = Rendered(lambda: now, 2**20)
    rendered.put("a", b"body")
    assert rendered.get("a") == Rendering.of(b"body")

    now = KEPT_SECONDS

    assert rendered.get("a") is None


def test_room_is_bounded_by_bytes():
    """The oldest body goes first; one that alone is too large is not kept."""
    rendered = Rendered(lambda: 0.0, kept_bytes=10 + 2 * OVERHEAD)
    made = {name: rendered.put(name, b"12345") for name in ("a", "b", "c")}

    assert [rendered.get(name) for name in ("a", "b", "c")] == [None, made["b"], made["c"]]
    rendered.put("d", b"x" * (11 + OVERHEAD))
    assert rendered.get("d") is None
    assert rendered.put("e", b"x" * (10 + OVERHEAD)).body == b"x" * (10 + OVERHEAD)
    assert rendered.get("e") is not None


def test_a_coded_body_is_never_older_than_the_plain_one():
    """A body that was made anew, as after a team was renamed, has no coding yet, although an older one has."""
    rendered = Rendered(lambda: 0.0, 2**20)
    plain = rendered.put("a", b"Hafen")
    rendered.put_coded("a", plain, "gzip", b"coded")
    assert rendered.coded("a", plain, "gzip").body == b"coded"

    assert rendered.coded("a", rendered.put("a", b"Hafenstadt"), "gzip") is None
