"""The ASGI application of the web server."""

import os

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup(set_prefix=False)

from annotator.site.asgi import PooledHandler  # noqa: E402 - it needs the settings

application = PooledHandler()
