"""Two claim sets side by side, the aids and keys that a person prefers, error tags as shown."""


