"""The Django project: settings, addresses, the Celery app."""

# Imported with the settings, so that tasks are sent by this app wherever they are sent from.
from config.celery import app

__all__ = ("app",)
