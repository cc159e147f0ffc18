"""The posts of a match: what they say, and how the stored ones are brought in line.

The match that is believed and the ledger of posts come in; wanted posts and the changes that lead to them go out. `ingest/sync`
calls it at each changed poll, and the page for key moments.
"""
