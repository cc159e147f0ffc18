"""Real matches of four sports that anyone may replay, see README.md here for the licences and for what was invented."""

from pathlib import Path

from providers.replay.demo.others import grandprix, superbowl, wimbledon
from providers.replay.demo.plan import PLANS
from providers.replay.demo.words import LANGUAGES

NAMES = (*(plan.name for plan in PLANS), grandprix.NAME, wimbledon.NAME, superbowl.NAME)
"""The recordings by their names, soccer first."""


def demo_files(language: str = "en") -> tuple[Path, ...]:
    """The recordings of the demo in a language of its feed (`en`, `de`; ValueError for others)."""
    if language not in LANGUAGES:
        raise ValueError(f"the demo has no {language!r}, only {', '.join(LANGUAGES)}")
    return tuple(Path(__file__).parent / f"{name}.{language}.jsonl.gz" for name in NAMES)
