"""Gracenote Global Sports Data: matches of soccer, and races of cycling.

Its bodies come in; matches and lists of days go out. The registry knows its adapter, and the sync calls that.
"""
