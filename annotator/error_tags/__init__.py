"""What the error tags of ratings and preferences say: how often, where, at which loss in score."""
