"""What a reader may see of a liveblog, worked out once for all that show it.

Stored games and events come in, checked for their reader and the reader's delay; resolved documents, headlines, HTML of posts and
key moments go out, and bodies are kept. Every room that reads calls it.
"""
