"""Teams, players, tournaments and locations of an organization.

Imports and people write them; corrections go on into liveblogs by `masterdata_use.py`; the API lists and resolves them.
"""
