"""What persons and clients do to a liveblog: changes, documents of earlier versions, feeds of others, blocks."""
