"""Tests of the probe's feature vectors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from scoring.patclaimeval.data import Quadruplet, distinct_pairs
from scoring.patclaimeval.encoder import Encoder, load_encoder
from scoring.patclaimeval.features import FeatureCache, PairFeatures, alignment_layers

Items = list[Quadruplet]


@pytest.fixture
def encoder(tiny_bert: Path) -> Encoder:
    """The tiny BERT."""
    return load_encoder(str(tiny_bert), max_tokens=4096)


def test_middle_and_last_layer_are_aligned() -> None:
    assert alignment_layers(6) == (3, 6)
    assert alignment_layers(12) == (6, 12)
    assert alignment_layers(1) == (1, 1)


def test_vectors_are_named_signed_and_in_the_order_asked_for(
    encoder: Encoder, quadruplets: Items
) -> None:
    features = PairFeatures(encoder, FeatureCache(None))
    pairs = distinct_pairs(quadruplets)
    matrix = features.compute(pairs)
    assert matrix.shape == (len(pairs), features.size)
    assert len(features.names) == len(features.signs) == features.size
    assert np.array_equal(features.compute(pairs[::-1]), matrix[::-1])
    assert features.compute([]).shape == (0, features.size)


def test_reference_itself_is_at_distance_nought(encoder: Encoder, quadruplets: Items) -> None:
    features = PairFeatures(encoder, FeatureCache(None))
    text = quadruplets[0].reference
    row = dict(zip(features.names, features.compute([(text, text)])[0], strict=True))
    assert all(row[f"distance{i}"] == 0 for i in range(encoder.width))
    assert row["align2_f"] == pytest.approx(1.0)


def test_signs_point_the_way_damage_moves_a_feature(encoder: Encoder) -> None:
    signs = dict(zip(*_named(PairFeatures(encoder, FeatureCache(None))), strict=True))
    assert signs["rougel_f"] == signs["align2_r"] == signs["same_parents"] == 1
    assert signs["term_lost"] == signs["align2_r_lost"] == signs["citation_unknown_excess"] == -1
    assert signs["log_length"] == signs["distance0"] == 0


def test_cached_vectors_equal_fresh_ones(
    encoder: Encoder, quadruplets: Items, tmp_path: Path
) -> None:
    pairs = distinct_pairs(quadruplets)
    fresh = PairFeatures(encoder, FeatureCache(tmp_path)).compute(pairs)
    assert len(list(tmp_path.rglob("*.npz"))) == len(pairs)
    assert np.array_equal(PairFeatures(encoder, FeatureCache(tmp_path)).compute(pairs), fresh)


def _named(features: PairFeatures) -> tuple[tuple[str, ...], np.ndarray]:
    return features.names, features.signs
