"""What other rules of conflict would find."""
