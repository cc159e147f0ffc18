"""What the commands print to: as wide as the terminal, and wide enough for scripts where there is none."""

import sys

from rich.console import Console

WIDE = 240
"""Columns of a table that a script reads; nothing in it may be cut."""

out = Console(highlight=False, soft_wrap=True, width=None if sys.stdout.isatty() else WIDE)
err = Console(stderr=True, highlight=False, soft_wrap=True, width=None if sys.stderr.isatty() else WIDE)
