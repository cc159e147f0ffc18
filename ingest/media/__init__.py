"""Files that clients name: an address comes in, its bytes go out through the guard, or what a post learns of it.

The API fetches pictures here, and a job probes the files of new posts.
"""
