"""When each post of the sync came about, and what was decided upon which answers.

The sync writes rows with its posts; /status, `matchwire explain` and bundles of incidents read them.
"""
