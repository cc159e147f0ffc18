"""Connections of clients: bytes come in, bounded in number, size and time, and requests go out to the API.

The daemon opens the server on its listening socket.
"""
