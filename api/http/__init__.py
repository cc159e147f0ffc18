"""What every resource of the API is made of: requests with their caller, parameters, answers, errors, kept bodies, OpenAPI.

A row of the table of routes and an ASGI request come in, a checked caller with its query or document reaches a handler, and a
response goes out. The middleware calls it from outside; endpoints and operations of all rooms take its parts.
"""
