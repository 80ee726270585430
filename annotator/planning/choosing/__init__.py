"""Which references come first in a campaign that chooses, and which are drawn as its control."""
