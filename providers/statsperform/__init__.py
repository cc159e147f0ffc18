"""Stats Perform's feed MA1: one body a match, behind a sign-in or a key.

Its bodies come in; matches and pages of a list go out. An entry point names its adapter, and the sync calls that.
"""
