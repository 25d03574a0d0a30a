"""A service of orders on FastAPI and SQLAlchemy."""
