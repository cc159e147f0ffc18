"""Events of the write API: a document comes in, one unit checks and writes it, the event as it is now goes out.

Routes and the desk call the endpoints, `import-feed` the operations.
"""
