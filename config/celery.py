"""The Celery app, and which GPU a worker process computes on."""

import os

from billiard.process import current_process
from celery import Celery
from celery.signals import setup_logging, worker_process_init
from kombu import Queue

from core import logs
from core.jobs.queues import Queues

VISIBLE = "CUDA_VISIBLE_DEVICES"


def device_of_slot(visible: str, slot: int) -> str:
    """Return the device of the so-manieth process, counted from 0, of those that are visible.

    `visible` lists devices with commas between, as CUDA reads it; one device stays what it is.
    """
    devices = [device.strip() for device in visible.split(",") if device.strip()]
    return devices[slot % len(devices)] if devices else visible


def bind_device(**_: object) -> None:
    """Leave this process of a pool one device: its own, as no other process of the pool has it.

    Called before CUDA is looked at for the first time. A process that is started in place of a
    dead one gets the dead one's slot.
    """
    visible, slot = os.environ.get(VISIBLE), getattr(current_process(), "index", None)
    if visible and slot is not None:
        os.environ[VISIBLE] = device_of_slot(visible, slot)


os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
app = Celery("annotator")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.conf.task_queues = [Queue(name.value, routing_key=name.value) for name in Queues]
app.autodiscover_tasks(["annotator", "scoring"])
worker_process_init.connect(bind_device)
# Connected, it prevents Celery's own, whose lines quote what a task failed on.
setup_logging.connect(logs.configure_worker)
