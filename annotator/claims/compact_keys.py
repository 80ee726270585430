"""Which ids or texts came before in files of millions: only their hashes are stored."""

from array import array
from typing import Final

_SMALLEST: Final = 1024
_MASK: Final = (1 << 64) - 1


class CompactKeys:
    """Numbers values of one type in the order in which they come, and knows which came before.

    Two values are taken for one where Python's 64-bit hashes are equal: among a million different
    texts with a chance of 3 in 100 million, and differently in each process, for the hash of a
    text is salted.
    """

    def __init__(self) -> None:
        # Open addressing: a slot holds 1 + the number of a key, or 0.
        self._slots = array("I", bytes(4 * _SMALLEST))
        self._keys = array("Q")

    def __len__(self) -> int:
        return len(self._keys)

    def enter(self, value: object) -> int:
        """Return the number of a value, from 0; a new value gets the next one."""
        if 2 * len(self._keys) >= len(self._slots):
            self._grow()
        key = hash(value) & _MASK
        slot = self._slot(key)
        number = self._slots[slot]
        if number:
            return number - 1
        self._keys.append(key)
        self._slots[slot] = len(self._keys)
        return len(self._keys) - 1

    def _slot(self, key: int) -> int:
        """Return where the key stands, or the free place where it would."""
        slots, keys, mask = self._slots, self._keys, len(self._slots) - 1
        place = (key ^ key >> 32) & mask
        while (number := slots[place]) and keys[number - 1] != key:
            place = (place + 1) & mask
        return place

    def _grow(self) -> None:
        self._slots = array("I", bytes(8 * len(self._slots)))
        for number, key in enumerate(self._keys, start=1):
            self._slots[self._slot(key)] = number


class FirstLines:
    """On which line of a file each id first stands, and whether the content is the same below.

    Neither ids nor contents are stored: 32 bytes an id. Like ids, two contents are
    taken for one where their 64-bit hashes are equal.
    """

    def __init__(self) -> None:
        self._names = CompactKeys()
        self._lines = array("Q")
        self._contents = array("Q")

    def enter(self, name: object, line: int, content: object) -> tuple[int, bool] | None:
        """Return the line on which the id stood before, and whether it had the same content there.

        None, and store this line, where it stood on none.
        """
        number, key = self._names.enter(name), hash(content) & _MASK
        if number < len(self._lines):
            return self._lines[number], self._contents[number] == key
        self._lines.append(line)
        self._contents.append(key)
        return None
