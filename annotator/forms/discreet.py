"""Fields from which a browser sends nothing away: no spelling service, translator or memory."""

from typing import Any, Final

from django import forms

DISCREET: Final = {"spellcheck": "false", "translate": "no", "autocomplete": "off"}


class DiscreetForm(forms.Form):
    """A form whose fields for words ask the browser to keep what is typed to itself."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for field in self.fields.values():
            widget = field.widget
            if isinstance(widget, forms.Textarea) or getattr(widget, "input_type", "") == "text":
                widget.attrs = DISCREET | widget.attrs
