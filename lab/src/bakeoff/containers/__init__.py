"""Containers that the lab did not start, seen through the Docker Engine API."""
