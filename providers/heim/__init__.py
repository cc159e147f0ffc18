"""HEIM:SPIEL: soccer in depth, and other sports by their results.

Its bodies come in; matches and lists of days go out. The registry knows its adapter, and the sync calls that.
"""
