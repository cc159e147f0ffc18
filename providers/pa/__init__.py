"""PA Media's football feed: XML, no whistles, hundreds of events a match.

Its bodies come in; matches and lists of days go out. An entry point names its adapter, and the sync calls that.
"""
