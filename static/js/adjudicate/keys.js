// Keys: a digit chooses a column of the table, everything else is looked up in the person's keymap.
import { foldDependents, goToDifference, scrollPane } from "../shared/reading.js";

// The focused claim sets scroll by their own arrows and page keys.
const SCROLLING = ["ArrowDown", "ArrowUp", "PageDown", "PageUp"];
const press = (code) => document.querySelector(`[data-action="${code}"]`)?.click();
const actions = {
  "scroll-down": () => scrollPane("reading", 1),
  "scroll-up": () => scrollPane("reading", -1),
  "fold-dependents": foldDependents,
  "next-difference": () => goToDifference(1),
  "previous-difference": () => goToDifference(-1),
  comment: () => document.getElementById("id_reason")?.focus(),
  keys: () => document.getElementById("keys").showModal(),
};

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

const isTyping = (target) => target.matches("textarea, select, input:not([type=radio], [type=checkbox])");

export function startKeys(room) {
  const { keys, single } = JSON.parse(room.dataset.keymap);
  const codes = new Map(Object.entries(keys).flatMap(([code, pressed]) => pressed.map((key) => [key, code])));
  document.addEventListener("keydown", (event) => {
    const isCtrl = event.ctrlKey || event.metaKey;
    const key = isCtrl ? `Ctrl+${event.key}` : event.key;
    if (event.altKey || event.isComposing || document.querySelector("dialog[open]")) {
      return;
    }
    if (isTyping(event.target) && !isCtrl) {
      if (event.key === "Escape") {
        event.target.blur();
      }
      return;
    }
    if (event.target.closest(".reading") && SCROLLING.includes(event.key)) {
      return;
    }
    if (/^[1-9]$/.test(key) && (single || event.target.matches("input[name=decision]")) && choose(key)) {
      event.preventDefault();
    } else if (codes.has(key)) {
      event.preventDefault();
      const code = codes.get(key);
      (actions[code] ?? press)(code);
    }
  });
  document.querySelector("[data-action=keys]").addEventListener("click", actions.keys);
}
