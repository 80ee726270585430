// Keys: a digit chooses a column of the table.
import { listenForKeys } from "../shared/keys.js";

// After "new scores" the first score is what comes next, after anything else the reason.
function choose(digit) {
  const radio = document.querySelector(`input[name=decision][data-digit="${digit}"]:enabled`);
  if (!radio) {
    return false;
  }
  radio.checked = true;
  const next = radio.value === "scores" ? document.querySelector(".scores select") : document.getElementById("id_reason_code");
  next?.focus();
  return true;
}

function typing(event) {
  if (event.key === "Escape") {
    event.target.blur();
  }
}

export function startKeys({ keys, single }) {
  const comment = () => document.getElementById("id_reason")?.focus();
  const digit = (key, target) => /^[1-9]$/.test(key) && (single || target.matches("input[name=decision]")) && choose(key);
  listenForKeys(keys, { comment }, { digit, typing });
}
