"""matchwire's language: matches, liveblogs and the rules between them, without any I/O.

A provider's match and the requests of persons and clients come in; documents, posts and decisions go out. `providers` make
matches, `store` keeps what the rules decide, `api` and `ingest` call them.
"""
