"""Django's settings for production."""

import dj_database_url
from django.core.management.utils import get_random_secret_key

# Nothing is signed that outlives the process.
SECRET_KEY = get_random_secret_key()
DEBUG = False
ALLOWED_HOSTS = ["*"]

INSTALLED_APPS = ["orders"]
# A JSON API without sessions: those of the project's template that need none.
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "django.middleware.common.CommonMiddleware",
]
ROOT_URLCONF = "shop.urls"
WSGI_APPLICATION = "shop.wsgi.application"

# A connection for each thread of Gunicorn, for as long as it works.
DATABASES = {"default": {**dj_database_url.config(conn_max_age=None), "OPTIONS": {"connect_timeout": 2}}}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

TIME_ZONE = "UTC"
USE_I18N = False
USE_TZ = True

DATA_UPLOAD_MAX_MEMORY_SIZE = 65_536

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "handlers": {"console": {"class": "logging.StreamHandler", "level": "ERROR"}},
    "root": {"handlers": ["console"]},
}
