"""Which marks stand for which secret: everything that a campaign holds, by name."""

from typing import Any, Final

from django.apps import apps
from django.db.models import Model

from annotator.models import (
    Adjudication,
    Assignment,
    Candidate,
    Comparison,
    Conflict,
    Rating,
    Reference,
    Round,
)
from tests.guards.blindness.marks import ELSEWHERE, HERE
from tests.guards.blindness.people import ROLES
from tests.guards.blindness.states import METRIC_SCORE, Scenario

TEXTS_OF: Final = ("comment", "note", "remark", "preference")


def secrets_of(scenario: Scenario) -> dict[str, list[object]]:
    """Return the marks of the campaign `zqhere` by secret, and all of the other one as one."""
    facts: dict[str, list[object]] = {
        "campaign": [f"{HERE}slug", f"{HERE}campaign", scenario.campaign.pk],
        "claims": [f"{HERE}referenceclaim", f"{HERE}candidateclaim"],
        "context": [f"{HERE}context"],
        "draft claims": [f"{HERE}draftclaim"],
        "reference": [f"{HERE}referenceid"],
        "title": [f"{HERE}title"],
        "reference.pk": _pks(Reference, campaign=scenario.campaign),
        "family": [f"{HERE}kin"],
        "system": [f"{HERE}system"],
        "candidate_id": [f"{HERE}candidateid"],
        "candidate.pk": _pks(Candidate, campaign=scenario.campaign),
        "damage": [f"{HERE}damage"],
        "conflict.pk": _pks(Conflict, campaign=scenario.campaign),
        "question": [f"{HERE}question", *_pks(Round, candidate__campaign=scenario.campaign)],
        "calibration": [f"{HERE}agreedreason"],
        "ruling": [f"{HERE}rulingreason"],
        "ruling.pk": _pks(Adjudication, conflict__campaign=scenario.campaign),
        "void reason": [f"{HERE}voidreason"],
        "close reason": [f"{HERE}closereason", f"{HERE}reopenreason"],
        "metric score": _digits(HERE),
        "dataset": [f"{HERE}dataset", scenario.measured.version.sha256],
        "training": [
            *(f"{HERE}runmessage", f"{HERE}modelwarning", f"{HERE}promotionreason"),
            *(scenario.measured.run.pk, scenario.measured.waiting.pk, scenario.measured.model.pk),
            scenario.measured.freeze.pk,
        ],
        "report": [scenario.measured.report.pk],
        "import": [
            *(f"{HERE}goodfile", f"{HERE}badfile", f"{HERE}wrongfield", f"{HERE}importedid"),
            *(f"{HERE}importedtitle", f"{HERE}importedcandidate", f"{HERE}docfile"),
            *(scenario.imports.waiting.pk, scenario.imports.refused.pk),
            scenario.imports.document.pk,
        ],
        "webhook": [f"{HERE}hookaddress", scenario.webhook.pk],
        "import text": [f"{HERE}importedtext"],
        "import rest": [*(f"{HERE}importedsystem", f"{HERE}importedkin", f"{HERE}importeddraft")],
        "model directory": [f"{HERE}modeldirectory"],
        "export": [f"{HERE}exportclaim"],
        "scored": [f"{HERE}pastedclaim", scenario.measured.scores.pk],
        "export ids": [f"{HERE}exportid"],
    }
    for who in ROLES:
        user = scenario.people[who]
        facts[f"{who}.name"] = [user.username]
        facts[f"{who}.person"] = [user.first_name, user.last_name, user.email, user.pk]
    for who in ("one", "peer"):
        own = {"annotator": scenario.people[who]}
        facts[f"{who}.texts"] = [f"{HERE}{who}{what}" for what in TEXTS_OF]
        facts[f"{who}.draft"] = [f"{HERE}{who}draft"]
        facts[f"{who}.rating"] = _pks(Rating, **own)
        facts[f"{who}.assignment"] = [*_pks(Assignment, **own), *_pks(Comparison, **own)]
    return facts


def elsewhere(other: Scenario) -> list[object]:
    """Return the marks of the other campaign: its texts, and the ids of all its rows."""
    return [ELSEWHERE, *_digits(ELSEWHERE), *ids_of(other)]


def ids_of(scenario: Scenario) -> list[object]:
    """Return the ids of all rows that belong to a campaign, of every model that has a UUID."""
    found: list[object] = [user.pk for user in scenario.people.values()]
    paths = (
        *("campaign", "reference__campaign", "candidate__campaign", "assignment__campaign"),
        *("conflict__campaign", "adjudication__conflict__campaign", "comparison__campaign"),
        *("rating__candidate__campaign", "dataset_version__dataset__campaign"),
        *("dataset__campaign", "run__dataset_version__dataset__campaign"),
    )
    found += [scenario.measured.scores.pk]
    for label in ("annotator", "scoring"):
        for model in apps.get_app_config(label).get_models():
            if model._meta.pk.get_internal_type() != "UUIDField":
                continue
            fields = {field.name for field in model._meta.get_fields()}
            path = next((one for one in paths if one.split("__")[0] in fields), None)
            if path:
                found += _pks(model, **{path: scenario.campaign})
    return found


def _pks(model: type[Model], **where: Any) -> list[object]:
    return list(model._default_manager.filter(**where).values_list("pk", flat=True))


def _digits(mark: str) -> list[object]:
    """Return the metric score from its point on, in full and rounded to four digits."""
    score = METRIC_SCORE[mark]
    return [f"{score:.8f}"[1:], f"{score:.4f}"[1:]]
