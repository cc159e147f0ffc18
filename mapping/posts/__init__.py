"""The posts of a match: what they say, and how the stored ones are brought in line."""
