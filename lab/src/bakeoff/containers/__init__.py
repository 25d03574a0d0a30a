"""Containers that somebody else has started, seen through the Docker Engine API."""
