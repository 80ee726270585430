"""The packed encoder: Hugging Face weights run over sequences of any length without padding."""

from __future__ import annotations
