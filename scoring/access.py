"""Reads of datasets: which versions a person may see, and the rows of one.

What a person may read of a dataset version beyond its card.

Who may take what of a dataset version away.

What every REST door of this house does alike: ask the matrix, know the person, clean a body.

What the API says of datasets, runs, models and reports: listed keys, and no others.

What the forms that ask for work on a dataset version have in common.
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any, Final, cast
from uuid import UUID

from django import forms
from django.db.models import Count, Q, QuerySet
from django.http import Http404, QueryDict
from django.utils.functional import cached_property
from rest_framework.exceptions import PermissionDenied, ValidationError
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.request import Request
from rest_framework.views import APIView

from annotator.access.api import MatrixPermission
from annotator.access.scopes import (
    LEAST_TOLD_APART,
    Names,
    campaigns_for,
    pseudonyms,
    roles_of,
    user_names,
)
from annotator.access.visibility import is_unblinded, reader_of, withheld_campaigns
from annotator.adjudication.settled.queries import raters_of
from annotator.models import Campaign, Role, Shown, User
from annotator.rubric import ALL_CRITERIA, NAMES
from core.errors import Forbidden, Refused
from scoring import files as scoring_files
from scoring.formats import rows as formats_rows
from scoring.formats.rows import DatasetRow
from scoring.models import AgreementReport, Dataset, DatasetVersion, ModelVersion, TrainingRun

MAY_READ = (Role.RESEARCHER, Role.ADMIN)
SPLITS = ("train", "validation", "test", "all")
# What an address holds between slashes: NAME or CAMPAIGN.NAME.
FULL_NAME: Final = r"(?:[A-Za-z0-9_-]+\.)?[A-Za-z0-9_-]+"
_VERSION: Final = re.compile(rf"({FULL_NAME})(?:@(\d{{1,9}}))?")


class NoSuchVersion(DatasetVersion.DoesNotExist):
    """There is no such version for who asks; what is told is for them to read."""


class SeveralDatasets(NoSuchVersion):
    """Several datasets of this name are there for who asks; the sentence names them in full."""


@dataclass(frozen=True, slots=True)
class LabelledRow:
    """A quadruplet with its label for one criterion."""

    id: str
    reference_id: str
    reference: str
    b: str
    c: str
    y: int
    split: str


def datasets_for(user: User) -> QuerySet[Dataset]:
    """Return the datasets of the user's campaigns, and those of no campaign for any researcher."""
    scope = Q(campaign__in=campaigns_for(user, MAY_READ))
    if roles_of(user) & set(MAY_READ):
        scope |= Q(campaign__isnull=True)
    return Dataset.objects.filter(scope)


def versions_for(user: User) -> QuerySet[DatasetVersion]:
    rows = DatasetVersion.objects.filter(dataset__in=datasets_for(user))
    return rows.select_related("dataset__campaign")


def measured_versions_for(user: User) -> QuerySet[DatasetVersion]:
    """Return the versions on which the person may measure, or read what was measured.

    What a training or a report says follows from labels: none of an open campaign in which they
    rate.
    """
    withheld = withheld_campaigns(user)
    return versions_for(user).exclude(dataset__campaign__in=withheld)


def find_version(name: str, versions: QuerySet[DatasetVersion] | None = None) -> DatasetVersion:
    """Return a version by its dataset's name, in full or not, and @NUMBER; else the newest one.

    Names count among `versions` only. A name alone is that of the dataset of no campaign or of the
    campaign of this name; else it must be the only one. Raises NoSuchVersion, and SeveralDatasets
    where the full name is needed.
    """
    match = _VERSION.fullmatch(name)
    if match is None:
        raise NoSuchVersion(_NONE)
    rows = DatasetVersion.objects.all() if versions is None else versions
    rows = _of_dataset(match[1], rows.select_related("dataset__campaign"))
    if match[2]:
        rows = rows.filter(number=int(match[2]))
    found = rows.order_by("-number").first()
    if found is None:
        raise NoSuchVersion(_NONE)
    return found


def version_or_404(user: User, name: str, number: int) -> DatasetVersion:
    """Return a version that the person may see, as an address names it."""
    try:
        return find_version(f"{name}@{number}", versions_for(user))
    except NoSuchVersion as error:
        raise Http404(str(error)) from error


def doubled_names(versions: QuerySet[DatasetVersion]) -> set[str]:
    """Return the names that several datasets of these versions have."""
    rows = versions.order_by().values_list("dataset__name")
    several = rows.annotate(datasets=Count("dataset", distinct=True)).filter(datasets__gt=1)
    return {name for name, _ in several}


_NONE: Final = "There is no such dataset; give NAME or NAME@VERSION."


def _of_dataset(name: str, rows: QuerySet[DatasetVersion]) -> QuerySet[DatasetVersion]:
    campaign, has_campaign, own_name = name.rpartition(".")
    rows = rows.filter(dataset__name=own_name)
    if has_campaign:
        return rows.filter(dataset__campaign__slug=campaign)
    found = rows.order_by().values_list("dataset", "dataset__campaign__slug").distinct()
    by_slug = {slug: pk for pk, slug in found}
    if len(by_slug) < 2:
        return rows
    first = [by_slug[slug] for slug in (None, name) if slug in by_slug]
    if len(first) != 1:
        names = ", ".join(sorted(f"{slug}.{name}" for slug in by_slug if slug is not None))
        raise SeveralDatasets(f"There are several datasets {name}; say which one: {names}.")
    return rows.filter(dataset=first[0])


def ordered_labels(version: DatasetVersion) -> dict[str, dict[str, int]]:
    """Return the card's label counts by criterion, in the rubric's order, as B, equal, C.

    PostgreSQL keeps JSON objects without the order of their keys.
    """
    counts = version.card["labels"]
    return {
        criterion: {label: counts[criterion][label] for label in ("1", "0", "-1")}
        for criterion in ALL_CRITERIA
        if criterion in counts
    }


def is_researcher(user: User, version: DatasetVersion) -> bool:
    """Say whether the user may start work on the version: a researcher of its campaign, or any."""
    campaigns = campaigns_for(user, [Role.RESEARCHER])
    campaign = version.dataset.campaign
    return campaigns.exists() if campaign is None else campaigns.filter(pk=campaign.pk).exists()


def read_rows(version: DatasetVersion) -> Iterator[DatasetRow]:
    """Give the rows of a version one by one; the digest of its file is looked at first, now.

    Raises StoredFileDamaged when the file is missing or another one now.
    """
    return formats_rows.read(scoring_files.open_dataset(version.sha256))


def labelled_rows(version: DatasetVersion, criterion: str) -> list[LabelledRow]:
    """Return the quadruplets of a version that carry a label for the criterion, in their order.

    Raises StoredFileDamaged when the stored file is missing or changed.
    """
    return [
        LabelledRow(
            id=row.id,
            reference_id=row.reference_id,
            reference=row.reference,
            b=row.b,
            c=row.c,
            y=row.y[criterion],
            split=row.split,
        )
        for row in read_rows(version)
        if criterion in row.y
    ]


@dataclass(frozen=True, slots=True)
class VersionReader:
    """How a person reads a version.

    `is_withheld`: they rate in its open campaign, and labels would tell what the others gave.
    `tells_ids`: ids of references and candidates, which may tell the system. `tells_ratings`:
    what single ratings and rulings say. Texts, files and names of people are for admins.
    """

    is_admin: bool
    is_withheld: bool
    tells_ids: bool
    tells_ratings: bool


def version_reader(user: User, version: DatasetVersion) -> VersionReader:
    """Return how the person reads a version that is in their scope."""
    campaign = version.dataset.campaign
    if campaign is None:
        return VersionReader(Role.ADMIN in roles_of(user), False, True, False)
    reader = reader_of(campaign, user)
    is_admin = reader is not None and reader.is_admin
    is_told = is_admin or not campaign.is_open
    return VersionReader(is_admin, reader is None or reader.is_withheld, is_told, is_told)


def names_for(user: User, campaign: Campaign, key: object, *, is_admin: bool) -> Names:
    """Return how annotators are called, by user id.

    Admins: the pseudonyms of the campaign's pages, or user names once they were shown. Others:
    pseudonyms of this one place, and none where so few are told apart.
    """
    ids = raters_of(campaign)
    if not is_admin:
        return pseudonyms(ids, key) if len(ids) >= LEAST_TOLD_APART else {}
    if is_unblinded(campaign, user, Shown.NAMES):
        return user_names(ids)
    return pseudonyms(ids, campaign.pk)


ONLY_ADMINS: Final = "Only admins of the campaign download claim texts."
WITHHELD: Final = (
    "You rate in this open campaign: labels would tell you what others gave. Ask again once it is "
    "closed."
)


def may_export(reader: VersionReader) -> bool:
    """Say whether the rows of a version are for this reader."""
    return reader.is_admin and not reader.is_withheld


def exporter(user: User, version: DatasetVersion) -> VersionReader:
    """Return a reader who may export the rows of a version; raise Forbidden for any other."""
    reader = version_reader(user, version)
    if not reader.is_admin:
        raise Forbidden(ONLY_ADMINS)
    return card_reader(user, version)


def card_reader(user: User, version: DatasetVersion) -> VersionReader:
    """Return a reader who may have the card of a version; raise Forbidden for any other."""
    reader = version_reader(user, version)
    if reader.is_withheld:
        raise Forbidden(WITHHELD)
    return reader


class Door(APIView):
    """A view that the permission matrix opens."""

    permission_classes = (MatrixPermission,)


class OwnFormats(DefaultContentNegotiation):
    """Leaves `?format=` and Accept to the door: they name files, not ways to render an answer."""

    def select_renderer(self, request, renderers, format_suffix=None):  # type: ignore[no-untyped-def]
        return renderers[0], renderers[0].media_type


def person(request: Request) -> User:
    """Return who calls; the matrix let nobody anonymous in."""
    return cast(User, request.user)


def body(request: Request, allowed: set[str]) -> dict[str, Any]:
    """Return the JSON object that was sent; an unknown key is refused, not dropped."""
    sent = request.data
    if not isinstance(sent, dict) or isinstance(sent, QueryDict):
        raise ValidationError({"non_field_errors": ["Send one JSON object."]})
    unknown = sorted(set(sent) - allowed)
    if unknown:
        raise ValidationError({name[:100]: ["This field is not known here."] for name in unknown})
    return dict(sent)


# What each kind of field is in JSON, and what is said of anything else; the first that fits counts.
IN_JSON: Final = (
    (forms.BooleanField, (bool,), "Give true or false."),
    (forms.FloatField, (int, float), "Give a number."),
    (forms.IntegerField, (int,), "Give a whole number."),
    (forms.MultipleChoiceField, (list,), "Give a list of texts."),
    (forms.Field, (str,), "Give a text."),
)


def cleaned(form: forms.Form) -> dict[str, Any]:
    """Return what a form makes of a body; 400 with the reasons by field otherwise.

    A body says what it means by its types, where a form has texts only: `"maybe"` is no bool.
    """
    if wrong := {
        name: [why]
        for name, value in form.data.items()
        if (why := _wrong_type(form.fields[name], value))
    }:
        raise ValidationError(wrong)
    if not form.is_valid():
        raise ValidationError(
            {name: [str(reason) for reason in reasons] for name, reasons in form.errors.items()}
        )
    return form.cleaned_data


def _wrong_type(field: forms.Field, value: Any) -> str:
    kinds, why = next((kinds, why) for kind, kinds, why in IN_JSON if isinstance(field, kind))
    inner = value if isinstance(value, list) else []
    is_right = type(value) in kinds and all(isinstance(one, str) for one in inner)
    # A text that need not be given may be null.
    return "" if is_right or (value is None and kinds == (str,) and not field.required) else why


def version_of(request: Request, name: object) -> DatasetVersion:
    """Return NAME or NAME@VERSION that the person may see and work on; 400 or 403 otherwise."""
    user = person(request)
    try:
        row = find_version(str(name), versions_for(user))
    except NoSuchVersion as error:
        raise Refused(str(error), {"dataset": [str(error)]}) from error
    if not is_researcher(user, row):
        raise PermissionDenied("Researchers of the campaign start this.")
    return row


def version_words(row: DatasetVersion, withheld: Collection[UUID] = ()) -> dict[str, Any]:
    """Tell of a version; who rates in one of the campaigns `withheld` is told no count of it.

    Nor its digest, by which a guess at its labels could be tried.
    """
    is_withheld = row.dataset.campaign_id in withheld
    return {
        "dataset": row.dataset.name,
        "full_name": row.full_name,
        "version": row.number,
        "sha256": None if is_withheld else row.sha256,
        "items": None if is_withheld else row.items,
        "labels": {} if is_withheld else ordered_labels(row),
        "splits": {} if is_withheld else row.card["splits"],
        "left_out": {} if is_withheld else row.card.get("left_out", {}),
        "created_at": row.created_at.isoformat(),
    }


def run_words(row: TrainingRun) -> dict[str, Any]:
    return {
        "id": str(row.pk),
        "dataset": str(row.dataset_version),
        "criterion": row.criterion,
        "status": row.status,
        "progress": row.progress,
        "stage": row.stage,
        "step": row.step,
        "steps": row.steps,
        "epoch": row.epoch,
        "epochs": row.epochs,
        "loss": row.loss,
        "validation_tau": row.validation_tau,
        "tokens_per_second": row.tokens_per_second,
        "seconds_left": row.seconds_left,
        "history": row.history,
        "log": row.log,
        "message": row.message,
        "model": str(row.model.pk) if row.model else None,
        "is_reused": row.reused_model_id is not None,
    }


def model_words(row: ModelVersion, *, is_promoted: bool) -> dict[str, Any]:
    return {
        "id": str(row.pk),
        "criterion": row.criterion,
        "is_promoted": is_promoted,
        "run": str(row.run_id),
        "dataset": str(row.run.dataset_version),
        "dataset_sha256": row.dataset_sha256,
        "manifest_sha256": row.manifest_sha256,
        "code_version": row.code_version,
        "validation": row.card["validation"],
        "tie_threshold": row.card["tie_threshold"],
        "warnings": row.card["warnings"],
        "created_at": row.created_at.isoformat(),
    }


def report_words(row: AgreementReport) -> dict[str, Any]:
    return {
        "id": str(row.pk),
        "dataset": str(row.dataset_version),
        "criterion": row.criterion,
        "asked_scorers": row.scorers,
        "split": row.split,
        "tie_threshold": row.tie_threshold,
        "resamples": row.resamples,
        "seed": row.seed,
        "systems_shown": row.has_systems,
        "admins_counted": row.has_admins,
        "status": row.status,
        "progress": row.progress,
        "stage": row.stage,
        "done": row.done,
        "total": row.total,
        "message": row.message,
    }


CRITERION_CHOICES: Final = [(key, NAMES[key]) for key in ALL_CRITERIA]
SMALLEST_SEED, LARGEST_SEED = 0, 2**32 - 1


class VersionField(forms.ModelChoiceField):
    """A dataset version that the person may see, as NAME@NUMBER, in full where two are NAME."""

    def label_from_instance(self, obj: DatasetVersion) -> str:
        named = obj.full_name if obj.dataset.name in self._doubled else str(obj)
        return f"{named} ({obj.items} quadruplets)"

    @cached_property
    def _doubled(self) -> set[str]:
        assert self.queryset is not None, "its form sets it"
        return doubled_names(self.queryset)
