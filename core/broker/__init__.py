"""A worker's end of its queues: messages, their broker, its device, and its sign of life."""
