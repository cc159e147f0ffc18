"""Units of work on either database, and what they are made of: connections, statements, errors, spans.

A function of a `Unit` or of a connection comes in, its committed result goes out; `store.database` calls it, and commands by
`store.upkeep.command`. `sqlite/` and `postgres/` are two kinds of connections under one pool.
"""
