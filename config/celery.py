"""The Celery app."""

import os

from celery import Celery
from celery.signals import setup_logging
from kombu import Queue

from core import logs
from core.jobs.queues import Queues

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
app = Celery("annotator")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.conf.task_queues = [Queue(name.value, routing_key=name.value) for name in Queues]
app.autodiscover_tasks(["annotator", "scoring"])
# Connected, it prevents Celery's own, whose lines quote what a task failed on.
setup_logging.connect(logs.configure_worker)
