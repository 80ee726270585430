"""Files that come in: checked, confirmed, stored in one transaction."""
