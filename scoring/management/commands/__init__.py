"""Commands of the measuring house."""
