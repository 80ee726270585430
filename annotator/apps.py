"""The Django app of the annotator package."""

from django.apps import AppConfig


class AnnotatorConfig(AppConfig):
    name = "annotator"

    def ready(self) -> None:
        from celery.signals import worker_ready, worker_shutting_down

        from annotator import tasks
        from annotator.accounts.sessions import delete_ended_sessions
        from annotator.entry.queries import inbox_lines
        from annotator.inbox.rows import register_inbox
        from annotator.models import ClaimImport, ReliabilityReport
        from annotator.operations import presences, sources
        from annotator.operations.backups.archives import register_files
        from annotator.operations.health.database import register_look
        from annotator.rate_limits import delete_used_up
        from core.jobs.queues import Queues
        from core.jobs.registry import register, register_tidying

        register(
            ReliabilityReport,
            lambda pk: tasks.reliability.delay(str(pk)),
            lambda _: Queues.WEB,
        )
        register(
            ClaimImport,
            lambda pk: tasks.import_claims.delay(str(pk)),
            lambda _: Queues.WEB,
        )
        register_files(sources.source_files, **sources.KINDS)
        register_look(sources.look_at_sources)
        register_inbox(inbox_lines)
        register_tidying(delete_used_up)
        register_tidying(presences.forget_presences)
        register_tidying(delete_ended_sessions)
        worker_ready.connect(presences.begin)
        worker_shutting_down.connect(presences.end)
