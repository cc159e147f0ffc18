"""The lock of a SQLite file: who holds it can be read all the time."""

from __future__ import annotations

import os
import threading

from store.engine.sqlite.file_lock import FileLock

TAKEN = 2000


def test_a_file_that_is_let_go_and_taken_again_always_names_its_process(tmp_path):
    """As a daemon does that applies a new configuration: `kill -HUP $(cat matchwire.db.lock)` never finds it empty."""
    database = tmp_path / "matchwire.db"
    FileLock(database).release()
    seen, over = set(), threading.Event()

    def read():
        seen.add((tmp_path / "matchwire.db.lock").read_text())
        while not over.is_set():
            seen.add((tmp_path / "matchwire.db.lock").read_text())

    reader = threading.Thread(target=read)
    reader.start()
    for _ in range(TAKEN):
        FileLock(database).release()
    over.set()
    reader.join()

    assert seen == {str(os.getpid())}
