"""The match as every provider's adapter gives it: its parts, sides, clock, identity and references."""
