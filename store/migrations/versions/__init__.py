"""One module a revision, never changed once released."""
