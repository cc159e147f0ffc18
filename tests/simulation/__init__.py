"""A simulation of several processes of matchwire: virtual time, one seed for all chance, faults everywhere.

`PYTHONHASHSEED=0 python -m tests.simulation --seed 17` plays one seed; the same seed is the same play. What runs is the
product: followers, leases, the adapter with its HTTP client, the units of the store, the outbox and the deliveries. What is
simulated: the clocks, the event loop's waiting, the network, the database server's outages, and the ends of processes.
"""
