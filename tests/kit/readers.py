"""The secret with which a site signs its readers."""

SECRET = "a-secret-of-the-newsroom-of-32-bytes"
