"""What leaves this machine by itself: a queue of rows, and two ways out, webhooks and mail."""
