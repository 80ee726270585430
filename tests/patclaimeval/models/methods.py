"""The ways to train, each with an encoder; `make test-all` tunes every encoder each way."""

from typing import Final

import pytest

METHODS: Final = ("probe", "finetune", "probe-then-finetune")
ENCODERS: Final = ("tiny_bert", "tiny_longformer")
# Each method and each encoder, and the encoder whose attention is the simpler for the plainest.
_TRIED_EACH_TIME: Final = {
    ("probe", "tiny_bert"),
    ("finetune", "tiny_longformer"),
    ("probe-then-finetune", "tiny_bert"),
}

each_method_with_an_encoder = pytest.mark.parametrize(
    ("method", "kind"),
    [
        pytest.param(
            method, kind, marks=() if (method, kind) in _TRIED_EACH_TIME else pytest.mark.exhaustive
        )
        for kind in ENCODERS
        for method in METHODS
        if (method, kind) != ("probe", "tiny_longformer")  # a probe reads no encoder
    ],
)
