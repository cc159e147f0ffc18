"""All SQL of matchwire: liveblogs, master data, the sync's memory, clients; SQLite and PostgreSQL from one code."""
