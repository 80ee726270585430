"""What of kombu and Celery would break a promise as it stands: the rest is stock."""
