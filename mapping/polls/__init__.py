"""Polls and quizzes of readers: documents, which votes count, and what is shown of them.

Blocks of posts and votes come in; shares that sum to 100 go out. `api/polls` and `store/polls` call it.
"""
