"""Matches as each provider sends them, moment by moment: one story of each sport, in the words of every feed that has it."""
