"""The settings of a server process of its own that serves the database of a test."""

import os

from config.settings import *  # noqa: F403
from config.settings import DATABASES, IS_SQLITE, MIDDLEWARE, STORAGES

DATABASES["default"]["NAME"] = os.environ["SERVED_DATABASE"]
if IS_SQLITE and (mode := os.environ.get("SERVED_TRANSACTION_MODE")):
    # A planted fault of tests/promises: another mode than the one that annotator/sqlite.py chose.
    DATABASES["default"]["OPTIONS"] |= {"transaction_mode": mode}
# The sessions that the test makes must be good here.
SECRET_KEY = os.environ["SERVED_SECRET_KEY"]
ALLOWED_HOSTS = ["127.0.0.1"]
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = False
WHITENOISE_USE_FINDERS = True
STORAGES["staticfiles"] = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
MIDDLEWARE.insert(0, "tests.served.dying.die_where_asked")
MIDDLEWARE.insert(0, "tests.served.faults.plant_the_fault")
