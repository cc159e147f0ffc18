"""Comments of readers and what a newsroom decides about them.

Readers write by `comments.py`, the newsroom decides by `moderation.py`; pages and streams read what is public.
"""
