"""Problems of settings as they are reported: in which file, at which key, what is wrong, and never the value."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass

Path = tuple[str | int, ...]

_BARE = re.compile(r"[A-Za-z0-9_<>*-]+")


@dataclass(frozen=True, slots=True)
class Problem:
    """`where` is the file or the environment variable, `key` the full dotted path, empty if the whole file is meant."""

    where: str
    key: str
    text: str

    def __str__(self) -> str:
        return ": ".join(part for part in (self.where, self.key, self.text) if part)


class ConfigError(Exception):
    """The settings cannot be used. `problems` holds every reason that was found, not only the first."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


class StartError(Exception):
    """The process cannot start; the message names the key, the file or the port."""


def dotted_path(path: Path) -> str:
    """The path as TOML writes it: parts that are no bare keys are quoted, rows carry their index."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            text += ("." if text else "") + (part if _BARE.fullmatch(part) else json.dumps(part))
    return text
