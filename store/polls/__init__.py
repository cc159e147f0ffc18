"""Votes of readers on polls, with a tally that is exact.

`api.polls` votes and reads; pages and exports read tallies as they stood.
"""
