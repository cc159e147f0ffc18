"""Files that clients name: fetched through the guard, and probed for what the posts do not say of them."""
