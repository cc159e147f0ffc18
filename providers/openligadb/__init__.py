"""OpenLigaDB: goals and results of soccer that volunteers enter; the shortest adapter, to be read beside docs/add-a-provider.md.

Its bodies come in; matches and lists of leagues go out. An entry point names its adapter, and the sync calls that.
"""
