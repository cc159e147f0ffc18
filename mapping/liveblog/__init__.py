"""What persons and clients do to a liveblog: changes, documents of earlier versions, feeds of others, blocks.

A stored document and a change come in; the document from now on goes out. The operations of `api` call it, and `ingest/sync` for
what a match fills in.
"""
