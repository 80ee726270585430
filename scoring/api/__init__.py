"""The REST doors of the measuring house."""
