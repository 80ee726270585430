"""The settings of a worker that trusts what messages say, as Celery's own consumer does."""

from config.settings import *  # noqa: F403

CELERY_WORKER_CONSUMER = "celery.worker.consumer:Consumer"
