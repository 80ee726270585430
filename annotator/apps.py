"""The Django app of the annotator package."""

from django.apps import AppConfig


class AnnotatorConfig(AppConfig):
    name = "annotator"

    def ready(self) -> None:
        from celery.signals import worker_ready, worker_shutting_down
        from django.db.backends.signals import connection_created

        from annotator import tasks
        from annotator.accounts.sessions import delete_ended_sessions
        from annotator.entry.queries import inbox_lines
        from annotator.entry.services import delete_old_strangers
        from annotator.imports.sweeping import sweep_files
        from annotator.inbox.rows import register_inbox
        from annotator.mail.reminders import mail_of_job
        from annotator.mail.services import delete_old_resets
        from annotator.models import ClaimImport, Delivery, ReliabilityReport
        from annotator.operations import drawings, presences, sources
        from annotator.operations.backups.archives import register_files
        from annotator.operations.health.database import register_look
        from annotator.outgoing.queue import delete_old_deliveries
        from annotator.rate_limits import delete_used_up
        from annotator.webhooks.events import notify_of_job
        from core.jobs.endings import register_ending
        from core.jobs.registry import register, register_tidying
        from core.sqlite import add_audit_seal
        from core.storage import evict

        connection_created.connect(add_audit_seal)
        register(ReliabilityReport, lambda pk: tasks.reliability.delay(str(pk)))
        register(ClaimImport, lambda pk: tasks.import_claims.delay(str(pk)))
        register(Delivery, lambda pk: tasks.deliver.delay(str(pk)))
        register_ending(notify_of_job)
        register_ending(mail_of_job)
        register_files(sources.source_files, **sources.KINDS)
        register_look(sources.look_at_sources)
        register_files(drawings.drawing_files, **drawings.KINDS)
        register_look(drawings.look_at_drawings)
        register_inbox(inbox_lines)
        register_tidying(delete_used_up)
        register_tidying(delete_old_deliveries)
        register_tidying(delete_old_resets)
        register_tidying(delete_old_strangers)
        register_tidying(presences.forget_presences)
        register_tidying(delete_ended_sessions)
        register_tidying(sweep_files, on_each_host=True)
        register_tidying(evict, on_each_host=True)
        worker_ready.connect(presences.begin)
        worker_shutting_down.connect(presences.end)
