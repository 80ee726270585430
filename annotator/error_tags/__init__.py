"""What a campaign's error tags say: how often, of whom and what, and at which loss in score."""
