"""Images and videos: uploads, addresses that documents name, and the proxy that gives readers every image in its size.

Files and addresses come in; signed addresses, variants from a cache on disk and ranges of videos go out. Routes, pages and writes
of documents call it.
"""
