"""Readers who sign in: the tokens by which this service and organizations say who they are.

Tokens and keys come in; a reader goes out, or the reason why there is none. `api/readers` calls it.
"""
