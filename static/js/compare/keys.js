// Keys: 1, 2 and 3 answer the question in focus, everything else is looked up in the keymap.
import { foldDependents, goToDifference, scrollPane } from "../shared/reading.js";
import { chosen, form, questions } from "./form.js";

const { keys, single } = JSON.parse(form.dataset.keymap);
const codes = new Map(Object.entries(keys).flatMap(([code, pressed]) => pressed.map((key) => [key, code])));
const VALUES = { 1: "1", 2: "0", 3: "-1" };
// The focused claim sets scroll by their own arrows and page keys.
const SCROLLING = ["ArrowDown", "ArrowUp", "PageDown", "PageUp"];

const focused = () => questions.findIndex((question) => question.contains(document.activeElement));

// The question that a digit answers: where the focus is, else the first without an answer; with
// single keys switched off only the former.
function current() {
  const index = focused();
  return index >= 0 || !single ? index : questions.findIndex((question) => !chosen(question));
}

function goTo(index) {
  const question = questions[Math.min(Math.max(index, 0), questions.length - 1)];
  (chosen(question) ?? question.querySelector("input")).focus();
}

function answer(value) {
  const index = current();
  const question = questions[index];
  if (!question || question.disabled) {
    return;
  }
  question.querySelector(`input[value="${value}"]`).checked = true;
  if (index + 1 < questions.length) {
    goTo(index + 1);
  } else {
    form.querySelector("[data-action=submit]")?.focus();
  }
}

function step(by) {
  const index = focused();
  goTo(index < 0 ? (by > 0 ? 0 : questions.length - 1) : index + by);
}

const press = (code) => document.querySelector(`[data-action="${code}"]`)?.click();

const actions = {
  "next-criterion": () => step(1),
  "previous-criterion": () => step(-1),
  "scroll-down": () => scrollPane("reading", 1),
  "scroll-up": () => scrollPane("reading", -1),
  "fold-dependents": foldDependents,
  "next-difference": () => goToDifference(1),
  "previous-difference": () => goToDifference(-1),
  comment: () => document.getElementById("id_comment").focus(),
  keys: () => document.getElementById("keys").showModal(),
};

const isTyping = (target) => target.matches("textarea, select, input:not([type=radio], [type=checkbox])");

function act(event, isCtrl) {
  const key = isCtrl ? `Ctrl+${event.key}` : event.key;
  if (key in VALUES) {
    event.preventDefault();
    answer(VALUES[key]);
  } else if (codes.has(key)) {
    event.preventDefault();
    const code = codes.get(key);
    (actions[code] ?? press)(code);
  }
}

export function startKeys() {
  document.addEventListener("keydown", (event) => {
    const isCtrl = event.ctrlKey || event.metaKey;
    if (event.altKey || event.isComposing || document.querySelector("dialog[open]")) {
      return;
    }
    if (isTyping(event.target) && !isCtrl) {
      if (event.key === "Escape") {
        goTo(Math.max(questions.findIndex((question) => !chosen(question)), 0));
      }
      return;
    }
    if (!(event.target.closest(".reading") && SCROLLING.includes(event.key))) {
      act(event, isCtrl);
    }
  });
  document.querySelector("[data-action=keys]").addEventListener("click", actions.keys);
}
