"""Rules that belong to no match: addresses, texts, clocks, pacing, deliveries.

Plain values come in and go out, the time among them: each is a function with a table of tests. Every package calls them.
"""
