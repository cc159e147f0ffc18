"""matchwire's HTTP API: an ASGI application over `mapping` and `store`."""
