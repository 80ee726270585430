// Ten is typed as a 1 and, within a second, a 0.
const LONGEST_PAUSE_MS = 1000;
let one = null;

// Remembers that a 1 was typed for this place.
export function noteOne(place, { timeStamp }) {
  one = { place, at: timeStamp, focus: document.activeElement };
}

// Returns the place whose 1 this key makes a ten, else null. Any other key, and a focus that has
// moved on, end the wait for the 0.
export function completedTen(key, { timeStamp }) {
  const before = one;
  one = null;
  const isTen = key === "0" && before && timeStamp - before.at <= LONGEST_PAUSE_MS && document.activeElement === before.focus;
  return isTen ? before.place : null;
}
