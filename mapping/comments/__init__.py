"""Comments of readers: their documents and states.

What a reader or a moderator sends comes in; what others see goes out. `api/comments` and `store/comments` use it.
"""
