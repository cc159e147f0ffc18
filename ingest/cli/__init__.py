"""The commands: options and the settings come in, lines on standard output and an exit status go out.

`ingest/entry.py` calls `main`. A command loads what it needs once it runs, so that `--help` stays quick.
"""
