"""Which fields of HEIM's recorded answers (MATCHWIRE_RECORDINGS) change alone, and how often: `python -m tools.running_fields`.

What changes while nothing happens, and is read by nobody, belongs into `ResourceRequest.unread` (docs/add-a-provider.md).
"""

from __future__ import annotations

import gzip
import json
import os
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

RECORDINGS = Path(os.environ.get("MATCHWIRE_RECORDINGS", "."))
MOST = 2
"""Fields that change together, at the most, to be listed."""


def values(body: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Each value with its path, whichever row of a list it stands in."""
    if isinstance(body, dict):
        for name, value in body.items():
            yield from values(value, f"{path}.{name}" if path else name)
    elif isinstance(body, list):
        for value in body:
            yield from values(value, f"{path}[]")
    else:
        yield path, json.dumps(body)


def main() -> None:
    """Print a line for each set of fields that changed alone."""
    changes: Counter[str] = Counter()
    alone: Counter[tuple[str, str]] = Counter()
    for file in sorted((RECORDINGS / "heim" / "soccer").glob("*.jsonl.gz")):
        before: dict[str, Counter[tuple[str, str]]] = {}
        for line in gzip.decompress(file.read_bytes()).splitlines():
            answer = json.loads(line)
            resource = answer["resource"].partition("/")[0]
            if "body" not in answer:
                continue
            now = Counter(values(answer["body"]))
            if resource in before:
                fields = {path for path, _ in (now - before[resource]) + (before[resource] - now)}
                changes[resource] += 1
                if len(fields) <= MOST:
                    alone[resource, ", ".join(sorted(fields)) or "the order of its rows"] += 1
            before[resource] = now
    for (resource, together), count in alone.most_common():
        sys.stdout.write(f"{count:4} of {changes[resource]} changes of {resource}: {together}\n")


if __name__ == "__main__":
    main()
