"""Running the site: backups, health, which programs live."""
