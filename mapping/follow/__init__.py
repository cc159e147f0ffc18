"""Which matches of the providers' lists become liveblogs by a rule, and when.

In come rules, lists and what an organization has already; out go decisions, each with its reason. `ingest.sync` looks at the
lists and carries the decisions out; `matchwire rules preview` shows them.
"""
