// Keys of a page with claim sets: looked up in the person's own keymap, but for the digits.
import { foldDependents, goToDifference, goToMark, scrollPane } from "./reading.js";
import { toolActions, typedInTools } from "./tools.js";

// A focused pane scrolls by its own arrows and page keys; the cells of the minimap have theirs.
const SCROLLING = ["ArrowDown", "ArrowUp", "PageDown", "PageUp", "Home", "End"];
const everywhere = {
  ...toolActions,
  "scroll-down": () => scrollPane("candidate", 1),
  "scroll-up": () => scrollPane("candidate", -1),
  "fold-dependents": foldDependents,
  "next-difference": () => goToDifference(1),
  "previous-difference": () => goToDifference(-1),
  "next-mark": () => goToMark(1),
  "previous-mark": () => goToMark(-1),
  keys: () => document.getElementById("keys").showModal(),
};

const FIELDS = "textarea, select, input:not([type=radio], [type=checkbox])";

// Presses the button or follows the link of an action; a field is there to be typed in.
function press(code) {
  const element = document.querySelector(`[data-action="${code}"]`);
  if (element?.matches(FIELDS)) {
    element.focus();
  } else {
    element?.click();
  }
}

const isTyping = (target) => target.matches(FIELDS);

// `more` are the page's own actions; `digit(key, event)` returns whether it took the key, and
// `typing(event)` is called for keys in a field, which have no other effect.
export function listenForKeys(keys, more, { digit, typing }) {
  const codes = new Map(Object.entries(keys).flatMap(([code, pressed]) => pressed.map((key) => [key, code])));
  const actions = { ...everywhere, ...more };
  document.addEventListener("keydown", (event) => {
    const isCtrl = event.ctrlKey || event.metaKey;
    const key = isCtrl ? `Ctrl+${event.key}` : event.key;
    if (event.altKey || event.isComposing || document.querySelector("dialog[open]")) {
      return;
    }
    if (isTyping(event.target) && !isCtrl) {
      if (!typedInTools(event)) {
        typing(event);
      }
    } else if (event.target.closest(".pane, .reading, .minimap, .context-text, .chart-scroll") && SCROLLING.includes(event.key)) {
      return;
    } else if (event.repeat && /^[0-9]$/.test(key)) {
      // A digit that is held down gives one score, not one to each of the next criteria.
      event.preventDefault();
    } else if (digit(key, event)) {
      event.preventDefault();
    } else if (codes.has(key)) {
      event.preventDefault();
      const code = codes.get(key);
      (actions[code] ?? press)(code);
    }
  });
  document.querySelector("[data-action=keys]").addEventListener("click", actions.keys);
}
