"""Sign-in tokens of readers: each counts once.

`api.readers` uses one when a reader signs in; nothing else is stored of readers.
"""
