"""The n-gram metrics by name: they need two texts, and the library has them too."""

from __future__ import annotations

from typing import Final

from patclaimeval.metrics.base import Entry

NGRAM: Final[dict[str, Entry]] = {
    "bleu-1": Entry("bleu", "Bleu", "BLEU-1", {"order": 1}),
    "bleu-4": Entry("bleu", "Bleu", "BLEU-4", {"order": 4}),
    "rouge-1": Entry("rouge", "Rouge", "ROUGE-1", {"variant": "1"}),
    "rouge-2": Entry("rouge", "Rouge", "ROUGE-2", {"variant": "2"}),
    "rouge-l": Entry("rouge", "Rouge", "ROUGE-L", {"variant": "l"}),
    "meteor": Entry("meteor", "Meteor", "METEOR"),
}
