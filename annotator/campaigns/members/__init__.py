"""People of a campaign and of the site: roles, invitations, accounts."""
