"""What the liveblog page loads."""
