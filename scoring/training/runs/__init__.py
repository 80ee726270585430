"""Training runs: asked for, estimated, carried out."""
