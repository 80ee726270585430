"""Models that score pairs of claim sets: features, ridge, encoder, training, checkpoints."""
