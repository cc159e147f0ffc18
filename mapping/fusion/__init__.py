"""One match of several sources: which leads, who is who, which incidents are the same.

What is believed of each source comes in, two at a time; one match goes out, with what the two contradict each other in.
`ingest/sync` calls it for matches that have a source on standby.
"""
