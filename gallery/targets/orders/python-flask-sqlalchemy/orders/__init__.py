"""A service of orders on Flask and SQLAlchemy."""

from flask import Flask
from sqlalchemy import make_url

from orders import problems, views
from orders.models import db
from orders.settings import DATABASE_URL, POOL_SIZE

CONNECT_TIMEOUT_S = 2
MAX_BODY_BYTES = 65_536


def create_app() -> Flask:
    app = Flask(__name__)
    app.config["MAX_CONTENT_LENGTH"] = MAX_BODY_BYTES
    app.config["SQLALCHEMY_DATABASE_URI"] = make_url(DATABASE_URL).set(drivername="postgresql+psycopg")
    app.config["SQLALCHEMY_ENGINE_OPTIONS"] = {
        "pool_size": POOL_SIZE,
        "max_overflow": 0,
        "connect_args": {"connect_timeout": CONNECT_TIMEOUT_S},
    }
    db.init_app(app)
    app.register_blueprint(views.orders)
    problems.register(app)
    return app
