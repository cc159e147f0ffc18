"""What is wrong, as one row from its beginning to its end.

The watch of each process notes what it sees; whoever announces and /status read what is open.
"""
