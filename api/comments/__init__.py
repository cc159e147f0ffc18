"""Comments: what readers read and write, what newsrooms decide, counts, exports."""
