"""The interface's documents: every `Svc::Model::*` type as a frozen value, and how they are read and written.

JSON from strangers comes in and is refused at the edge; values that every part can store go out. `api` reads requests with
them, `mapping/posts` and `mapping/liveblog` make them.
"""
