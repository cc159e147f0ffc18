"""Matches that are followed: leases, polls, the ledger of posts, several sources of one match, moves.

The sync writes and reads them as rows; the API reads where a liveblog gets its match from. No rules: those are in `mapping`.
"""
