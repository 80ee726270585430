"""OpenID Connect as a client: settings, requests, tokens; it knows no tables (docs/adr/0039)."""
