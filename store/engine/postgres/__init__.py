"""PostgreSQL: shared by as many processes as there are.

`backend.py` is the store on it, `connection.py` runs units, `sessions.py` keeps connections that listen or hold a lock, `dump.py`
uses its own tools.
"""
