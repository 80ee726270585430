"""How dates and times look on pages, by language, where Django's own way is not ours."""
