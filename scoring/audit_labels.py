"""What the acts of scoring are called in the audit trail."""

from typing import Final

from annotator.audit_log import Act

_DATASET: Final = ("dataset", "criterion")
ACTS: Final = {
    "dataset.exported": Act(
        "exported a dataset", ("dataset", "format", "split", "context", "sha256")
    ),
    "dataset.freeze": Act("a dataset was frozen", ("dataset", "items", "sha256")),
    "dataset.import": Act("imported a dataset", ("dataset", "items", "sha256")),
    "dataset.licence_set": Act("set a licence", ("dataset", "earlier", "licence")),
    "dataset.texts_permitted": Act("let somebody read claim texts", ("dataset", "reason")),
    "dataset.texts_revoked": Act("stopped somebody reading claim texts", ("dataset", "reason")),
    "erasure.agreed": Act("agreed to an erasure"),
    "erasure.asked": Act("requested an erasure"),
    "erasure.carried_out": Act("an erasure was carried out"),
    "erasure.declined": Act("declined an erasure"),
    "freeze.cancelled": Act("cancelled a freeze"),
    "freeze.failed": Act("a freeze failed"),
    "freeze.finished": Act("a freeze finished"),
    "freeze.requested": Act("requested a freeze"),
    "model.exported": Act("exported a model", (*_DATASET, "as", "manifest_sha256")),
    "model.registered": Act("a model was registered", (*_DATASET, "model")),
    "model.sealed": Act("sealed a model", ("manifest_sha256",)),
    "model.reused": Act("a model was found again", (*_DATASET, "model")),
    "promotion.agreed": Act("agreed to a promotion", ("criterion", "cautions")),
    "promotion.asked": Act("requested a promotion", ("criterion", "cautions")),
    "promotion.declined": Act("declined a promotion", ("criterion", "cautions")),
    "promotion.withdrawn": Act("withdrew a promotion", ("criterion", "cautions")),
    "report.cancelled": Act("cancelled a report", _DATASET),
    "report.failed": Act("a report failed", _DATASET),
    "report.finished": Act("a report finished", _DATASET),
    "report.items_exported": Act("exported the items of a report", (*_DATASET, "items")),
    "report.requested": Act("requested a report", _DATASET),
    "scores.deleted": Act("deleted scores", ("candidates",)),
    "scores.expired": Act("scores expired and were deleted"),
    "scores.failed": Act("scores failed", ("candidates",)),
    "scores.finished": Act("scores were calculated", ("candidates",)),
    "scores.requested": Act("requested scores", ("candidates",)),
    "training.cancelled": Act("cancelled a training", _DATASET),
    "training.described": Act("described a training", _DATASET),
    "training.failed": Act("a training failed", _DATASET),
    "training.requested": Act("requested a training", _DATASET),
}
