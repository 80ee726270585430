// Keys: a digit chooses a column of the table, or is a new score; another digit corrects it.
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

// In a new score a digit takes the place of another; a 0 after a 1 makes it a ten.
function score(select, key, tens) {
  const isTen = tens.includes(key) || (key === "0" && select.value === "1");
  if (!isTen && !/^[0-9]$/.test(key)) {
    return false;
  }
  select.value = isTen ? "10" : key;
  return true;
}

export function startKeys({ keys, single }) {
  const tens = keys.ten ?? [];
  const typing = (event) => {
    const { key, target } = event;
    if (key === "Escape") {
      target.blur();
    } else if (target.matches(".scores select") ? score(target, key, tens) : target.id === "id_reason_code" && /^[1-9]$/.test(key) && choose(key)) {
      // Where a column was chosen the reason is next, and a digit there chooses another column.
      event.preventDefault();
    }
  };
  const comment = () => document.getElementById("id_reason")?.focus();
  const digit = (key, target) => /^[1-9]$/.test(key) && (single || target.matches("input[name=decision]")) && choose(key);
  listenForKeys(keys, { comment }, { digit, typing });
}
