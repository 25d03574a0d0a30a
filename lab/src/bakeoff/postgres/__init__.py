"""The databases: embedded PostgreSQL 18 by default, or servers of the user's own."""
