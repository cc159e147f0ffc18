"""A simulation of several processes of matchwire in virtual time: `python -m tests.simulation.seeded_run SEED` plays one seed."""
