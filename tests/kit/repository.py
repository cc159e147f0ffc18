"""The repository's files."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def tracked():
    """Files that are in the repository or about to be; without git, all that is not hidden."""
    listing = ["git", "-C", str(ROOT), "ls-files", "-co", "--exclude-standard", "-z"]
    try:
        done = subprocess.run(listing, capture_output=True, check=False)
    except FileNotFoundError:
        done = None
    if done is not None and done.returncode == 0:
        names = [ROOT / name for name in done.stdout.decode().split("\0") if name]
        return [path for path in names if path.is_file()]
    return [p for p in ROOT.rglob("*") if p.is_file() and not any(part[0] == "." for part in p.relative_to(ROOT).parts)]
