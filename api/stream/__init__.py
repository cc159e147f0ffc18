"""Server-sent events: commits of any process come in, one message a version goes out to all who follow a liveblog.

Pages and clients open streams by the route; the store's notifications wake them.
"""
