"""Comments: what readers read and write, what newsrooms decide, counts, exports.

Readers' tokens and texts come in, comments with their numbers go out; feeds and deltas are given the numbers. Routes and the desk
call it.
"""
