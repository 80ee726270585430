"""The Celery app and its two queues."""

import os

from celery import Celery
from celery.signals import setup_logging, worker_process_init, worker_ready, worker_shutting_down
from kombu import Queue
from kombu.transport import TRANSPORT_ALIASES

from annotator import logs
from annotator.jobs.queues import Queues
from annotator.workers import heard_of
from annotator.workers.devices import bind_device

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotator.settings")


# Under kombu's own names, and not as CELERY_BROKER_TRANSPORT: by the name it sees whether TLS is
# asked for.
TRANSPORT_ALIASES.update(
    dict.fromkeys(("redis", "rediss"), "annotator.workers.redis_broker:Transport")
)
app = Celery("annotator", task_cls="annotator.workers.messages:CarefulTask")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.conf.task_queues = [Queue(name.value) for name in Queues]
app.autodiscover_tasks(["annotator", "scoring"])
worker_process_init.connect(bind_device)
# Connected, it keeps Celery from its own, whose lines quote what a task failed on.
setup_logging.connect(logs.configure_worker)
worker_ready.connect(heard_of.begin)
worker_shutting_down.connect(heard_of.end)
