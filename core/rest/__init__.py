"""What every call of the REST API shares."""
