"""Which programs are no readers, by the list of crawler-user-agents (MIT licence), which is kept up to date."""

from __future__ import annotations

from functools import lru_cache

LONGEST = 512
"""Characters of a User-Agent that are looked at; browsers' have fewer."""


@lru_cache(maxsize=4096)
def is_bot(user_agent: str) -> bool:
    """Whether the User-Agent is that of a program that reads by itself, or none."""
    from crawleruseragents import is_crawler  # type: ignore[import-untyped] # a megabyte of list, which a start does without

    return not user_agent or is_crawler(user_agent[:LONGEST])
