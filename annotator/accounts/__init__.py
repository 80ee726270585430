"""What signing in rests on: names, addresses, browsers, sessions, and the second step."""
