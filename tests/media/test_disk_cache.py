"""The cache on disk: whole entries or none, capped, and safe for several processes, also for those that are killed."""

import os
import signal
import stat
import subprocess
import sys
import time
from random import Random

import pytest

from api.media.disk_cache import DiskCache

BYTES = 1_048_576


def size(folder):
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def files(folder):
    return [file for file in folder.glob("??/*") if file.is_file()]


def test_what_is_put_can_be_read(tmp_path):
    """Body and facts, also by another process; others than the owner's group may not read them."""
    DiskCache(tmp_path, BYTES).put("a", b"body\n\0", etag='"1"', at=1.5)
    entry = DiskCache(tmp_path, BYTES).get("a")
    assert (entry.body, entry.facts) == (b"body\n\0", {"etag": '"1"', "at": 1.5})
    assert DiskCache(tmp_path, BYTES).get("b") is None
    assert not stat.S_IMODE(files(tmp_path)[0].stat().st_mode) & 0o007


@pytest.mark.parametrize(
    "spoil",
    [lambda content: content[:-1], lambda content: content + b"x", lambda _: b"", lambda _: b"a stranger's file" * 100],
    ids=["cut", "longer", "empty", "foreign"],
)
def test_a_file_that_was_spoiled_is_a_miss_and_removed(tmp_path, spoil):
    """Nothing is shown that was not put."""
    cache = DiskCache(tmp_path, BYTES)
    cache.put("a", b"body" * 100)
    (file,) = files(tmp_path)
    file.write_bytes(spoil(file.read_bytes()))
    assert cache.get("a") is None
    assert files(tmp_path) == []


def test_the_least_recently_used_goes_first(tmp_path):
    """What is read stays, and the cap holds."""
    cache = DiskCache(tmp_path, BYTES)
    for number in range(30):
        cache.put(f"{number}", bytes(30_000))
        os.utime(cache._file(f"{number}"), (number, number + 1_000_000))
    assert cache.get("0") is not None
    for number in range(30, 45):
        cache.put(f"{number}", bytes(30_000))
    assert size(tmp_path) <= BYTES
    assert cache.get("0") is not None
    assert cache.get("1") is None
    assert cache.get("44") is not None


def test_what_a_dead_process_left_is_removed(tmp_path):
    """Temporary files count, and go once nobody can be writing them."""
    cache = DiskCache(tmp_path, BYTES)
    cache.put("a", b"body")
    new, old = (files(tmp_path)[0].with_name(f"{name}.part") for name in ("new", "old"))
    new.write_bytes(b"half"), old.write_bytes(b"half")
    os.utime(old, (time.time() - 3700,) * 2)
    cache.sweep()
    assert new.exists()
    assert not old.exists()


WRITER = """
import sys
from pathlib import Path
from random import Random
from api.media.disk_cache import DiskCache
cache, random = DiskCache(Path(sys.argv[1]), 4_194_304), Random(int(sys.argv[2]))
print("ready", flush=True)
while True:
    number = random.randrange(200)
    cache.put(str(number), bytes((number,)) * random.randrange(1, 200_000))
"""


def killed(folder, seed):
    """Kill a process in the middle of writing, and read what it left."""
    process = subprocess.Popen([sys.executable, "-c", WRITER, str(folder), str(seed)], stdout=subprocess.PIPE)
    process.stdout.readline()
    time.sleep(0.05 + Random(seed).random() / 5)
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    cache = DiskCache(folder, 4_194_304)
    found = [(number, cache.get(str(number))) for number in range(200)]
    whole = [entry for number, entry in found if entry is not None and set(entry.body) == {number}]
    assert whole
    assert len(whole) == sum(entry is not None for _, entry in found)
    cache.put("after", b"a restart")
    assert size(folder) <= 4_194_304


@pytest.mark.proof
def test_a_killed_process_leaves_no_half_entry(tmp_path):
    """What can be read afterwards is whole, and the cap holds after the next write."""
    for seed in range(3):
        killed(tmp_path, seed)
