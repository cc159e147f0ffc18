"""Readers who take part: who they are, and how much they may send."""
