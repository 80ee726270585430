"""The form by which an admin says what others may do with a version."""

from annotator.forms.fields import WordsField
from annotator.forms.refusable import RefusableForm
from scoring.services.licences import LONGEST


class LicenceForm(RefusableForm):
    """A licence in a few words."""

    licence = WordsField(
        max_length=LONGEST,
        help_text="Such as CC BY 4.0; it stands on the card and leaves with every download.",
    )
