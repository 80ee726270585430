"""The forms of an import: what is sent, what is chosen about documents, what is corrected."""

import io
from typing import Any, BinaryIO, ClassVar, Final

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.template.defaultfilters import filesizeformat

from annotator.imports.documents import Choices, is_document
from core.forms import CommentField, PlainTextField, RefusableForm, TickField, WholeNumberField
from patclaimeval.claims.languages import CODE
from patclaimeval.documents.reading import AUTO
from patclaimeval.documents.records import TrackedChanges
from patclaimeval.text_io.streams import ByteSource

FORMATS: Final = (
    (AUTO, "Detect automatically"),
    ("docx", "Word (.docx)"),
    ("xml", "XML of an office: ST.36 or ST.96"),
    ("html", "saved page of Google Patents"),
    ("pdf", "PDF with a text layer"),
    ("text", "plain text"),
    ("zip", "ZIP of references with their candidates"),
    ("claims-jsonl", "claims-jsonl: one reference with its candidates a line"),
    ("csv", "CSV: one candidate a row"),
    ("patent-ce", "Patent-CE as published: one JSON array"),
    ("label-studio", "Label Studio, as PatentEval exported it: brings preferences along"),
)
CHANGES: Final = (
    (TrackedChanges.ACCEPTED.value, "accepted: as amended"),
    (TrackedChanges.ORIGINAL.value, "original: as before"),
    (TrackedChanges.BOTH.value, "both: the older text becomes the draft"),
)
TWICE: Final = "More than one file came; send them one after the other."
NOTHING: Final = "Choose a file, or paste the claims."
BOTH: Final = "A file and a pasted text came; send one of them."
PASTED: Final = "pasted text"
LONGEST_ID: Final = 200
LARGEST_LINE: Final = 10_000_000


def pasted(text: str, kind: str) -> tuple[BinaryIO, str]:
    """Return a pasted text as a file and its format: plain text, unless it begins otherwise."""
    file = io.BytesIO(text.encode())
    return file, "text" if kind == AUTO and not is_document(file) else kind


class ChoicesForm(RefusableForm):
    """What can be chosen and answered about documents."""

    reference_id = PlainTextField(
        label="Reference id",
        required=False,
        max_length=LONGEST_ID,
        help_text="Of a single document: the reference that it is, or of which it is a candidate. "
        "An archive names its references itself.",
    )
    candidate_id = PlainTextField(
        label="Candidate id",
        required=False,
        max_length=LONGEST_ID,
        help_text="Only if the document is a candidate; its reference is in the campaign already.",
    )
    tracked_changes = forms.ChoiceField(
        label="Tracked changes",
        choices=CHANGES,
        initial=TrackedChanges.ACCEPTED.value,
        required=False,
    )
    language = forms.RegexField(
        regex=f"^{CODE}$",
        label="Language",
        required=False,
        max_length=3,
        help_text="A code, such as en or de. Empty: as the document says.",
        error_messages={"invalid": "Give a code of two or three letters, such as en."},
    )
    claims_from = WholeNumberField(
        label="Claims begin at", required=False, min_value=1, max_value=LARGEST_LINE
    )
    claims_to = WholeNumberField(
        label="and end at",
        required=False,
        min_value=1,
        max_value=LARGEST_LINE,
        help_text="Paragraph or line of the document, where no heading says where the claims are.",
    )
    places: ClassVar = {"first": "claims_from", "last": "claims_to"}

    def clean_tracked_changes(self) -> str:
        """Take changes that were not sent for accepted ones."""
        return str(self.cleaned_data["tracked_changes"] or TrackedChanges.ACCEPTED.value)

    @property
    def choices(self) -> Choices:
        """What was chosen, once the form is valid."""
        return Choices.given(self.cleaned_data)

    @staticmethod
    def values_of(choices: Choices) -> dict[str, Any]:
        """Return choices as the initial values of a form."""
        values = choices.as_values()
        return values | {"claims_from": values.pop("first"), "claims_to": values.pop("last")}


class ImportForm(ChoicesForm):
    """What an admin sends to have claim sets imported."""

    file = forms.FileField(
        label="File",
        required=False,
        # The check reports what is wrong with a file that holds nothing.
        allow_empty_file=True,
        widget=forms.FileInput(
            attrs={"accept": ".docx,.xml,.pdf,.html,.htm,.txt,.zip,.jsonl,.json,.csv,.tsv,.gz"}
        ),
    )
    text = CommentField(
        label="Or paste claims",
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 6}),
    )
    format = forms.ChoiceField(
        label="Format",
        choices=FORMATS,
        initial=AUTO,
        required=False,
        help_text="A file of plain text has to be named so; a pasted one is taken for it.",
    )
    may_train = TickField(
        label="Models may be trained on these claims",
        required=False,
        help_text="Tick it only if the owner of the claims has agreed. Otherwise people rate them "
        "and their agreement is reported, but no dataset version that trains takes them in. "
        "Where a record of the file says so itself, the record counts.",
    )
    field_order = ("file", "text", "reference_id", "candidate_id", "may_train", "format")

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        limit = filesizeformat(settings.MAX_UPLOAD_BYTES)
        self.fields["file"].help_text = (
            f"Word, office XML, PDF, saved page, text, a ZIP of them, or claim sets as JSON Lines, "
            f"CSV or JSON in UTF-8 (gzip is unpacked); at most {limit}."
        )

    def clean_file(self) -> UploadedFile | None:
        """Take one file: with two nobody knows which was meant."""
        if len(self.files.getlist("file")) > 1:
            raise ValidationError(TWICE)
        file: UploadedFile | None = self.cleaned_data["file"]
        return file

    def clean_format(self) -> str:
        """Take a format that was not sent for one to be found out."""
        return str(self.cleaned_data["format"] or AUTO)

    def clean(self) -> dict[str, Any]:
        """Take a file or a text."""
        has_file, has_text = self.cleaned_data.get("file"), self.cleaned_data.get("text")
        if has_file and has_text:
            self.add_error("file", BOTH)
        elif not has_file and not has_text and not self.errors:
            self.add_error("file", NOTHING)
        return self.cleaned_data

    @property
    def sent(self) -> tuple[ByteSource, str, str]:
        """The file, its name and its format, once the form is valid."""
        said = self.cleaned_data
        if said["file"]:
            return said["file"], said["file"].name, said["format"]
        file, kind = pasted(said["text"], said["format"])
        return file, PASTED, kind

    @property
    def main_fields(self) -> list[forms.BoundField]:
        """What everybody looks at."""
        return [self[name] for name in self.field_order]

    @property
    def more_fields(self) -> list[forms.BoundField]:
        """What only some documents need."""
        return [self[name] for name in self.fields if name not in self.field_order]

    @property
    def has_more_errors(self) -> bool:
        """Whether one of those is wrong."""
        return any(field.errors for field in self.more_fields)


class CorrectionForm(RefusableForm):
    """The text of one claim set, as somebody has corrected it."""

    claims = CommentField(
        label="Claims",
        strip=False,
        widget=forms.Textarea(attrs={"rows": 18}),
        help_text="As it is to be stored, byte for byte. Your name and the time are stored with "
        "it; what was asked about this claim set is answered by it.",
    )
    draft_claims = CommentField(
        label="Draft",
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 6}),
        help_text="The claims before revision, where they are known: SARI compares with them. "
        "Empty: none.",
    )

    def __init__(self, *args: Any, has_draft: bool, **more: Any) -> None:
        super().__init__(*args, **more)
        if not has_draft:
            del self.fields["draft_claims"]
