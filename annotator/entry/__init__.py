"""Single sign-on: who may come in by a provider, and the roles that groups there give."""
