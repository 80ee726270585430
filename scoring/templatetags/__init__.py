"""Words of the measuring house for templates."""
