"""The claims room: pure functions over claim text, standard library only."""
