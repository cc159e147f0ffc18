"""Bodies as other providers would send them for a match that is known: the truth in another feed's words and ids."""
