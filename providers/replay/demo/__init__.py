"""Real matches of four sports that anyone may replay, see README.md here for the licences and for what was invented."""

from pathlib import Path

NAMES = (
    "croatia-denmark", "uruguay-russia", "colombia-japan", "sao-paulo-grand-prix", "wimbledon-final", "super-bowl",
)  # fmt: skip
"""The recordings by their names, soccer first; `tools/demo` writes them."""
LANGUAGES = ("en", "de")


def demo_files(language: str = "en") -> tuple[Path, ...]:
    """The recordings of the demo in a language of its feed (`en`, `de`; ValueError for others)."""
    if language not in LANGUAGES:
        raise ValueError(f"the demo has no {language!r}, only {', '.join(LANGUAGES)}")
    return tuple(Path(__file__).parent / f"{name}.{language}.jsonl.gz" for name in NAMES)
