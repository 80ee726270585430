"""The form of an import: a file, its format, and whether its claims may train models."""

from typing import Any, Final

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.template.defaultfilters import filesizeformat

from core.forms import RefusableForm, TickField

AUTO: Final = "auto"
FORMATS: Final = (
    (AUTO, "Detect automatically"),
    ("claims-jsonl", "claims-jsonl: one reference with its candidates a line"),
    ("csv", "CSV: one candidate a row"),
    ("patent-ce", "Patent-CE as published: one JSON array"),
    ("label-studio", "Label Studio, as PatentEval exported it: brings preferences along"),
)
TWICE: Final = "More than one file came; send them one after the other."


class ImportForm(RefusableForm):
    """What an admin sends to have claim sets imported."""

    file = forms.FileField(
        label="File",
        # The check reports what is wrong with a file that holds nothing.
        allow_empty_file=True,
        error_messages={"required": "Choose a file."},
        widget=forms.FileInput(attrs={"accept": ".jsonl,.json,.csv,.tsv,.txt,.gz"}),
    )
    format = forms.ChoiceField(label="Format", choices=FORMATS, initial=AUTO, required=False)
    may_train = TickField(
        label="Models may be trained on these claims",
        required=False,
        help_text="Tick it only if the owner of the claims has agreed. Otherwise people rate them "
        "and their agreement is reported, but no dataset version that trains takes them in. "
        "Where a record of the file says so itself, the record counts.",
    )

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        limit = filesizeformat(settings.MAX_UPLOAD_BYTES)
        self.fields["file"].help_text = f"UTF-8, at most {limit}; gzip is unpacked."

    def clean_file(self) -> UploadedFile:
        """Take one file: with two nobody knows which was meant."""
        if len(self.files.getlist("file")) > 1:
            raise ValidationError(TWICE)
        file: UploadedFile = self.cleaned_data["file"]
        return file

    def clean_format(self) -> str:
        """Take a format that was not sent for one to be found out."""
        return str(self.cleaned_data["format"] or AUTO)
