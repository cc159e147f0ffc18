"""The match as every provider's adapter gives it: its parts, sides, clock, identity and references.

Adapters make it of their provider's bodies; belief, posts and fusion read it. Nothing else of a provider is known beyond it.
"""
