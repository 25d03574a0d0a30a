"""A service of orders on Django."""
