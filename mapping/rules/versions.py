"""Which versions of a liveblog belong together: a restored database goes on far ahead of all that was ever given.

Pure. What was written between a backup and its restore is gone, so a version of then says nothing of now. Versions and
delivery numbers after a restore begin at a number that is made of its second, and the ones before it are below that.
"""

SPAN = 100_000
"""Versions that a restored liveblog has before it could reach those of a restore a second later."""


def first_after_restore(at: int) -> int:
    """The version, and the delivery number, with which a database goes on that is restored at `at` (Unix seconds)."""
    return at * SPAN


def known_since(since: int, version: int) -> int:
    """The version after which a reader that has `since` wants to know what changed; 0 where it has to begin anew.

    That is so for a version of the future, and for one of before a restore.
    """
    return since if since <= version and since // SPAN == version // SPAN else 0
