// Keys: 1, 2 and 3 answer the question in focus.
import { listenForKeys } from "../shared/keys.js";
import { choose, current, focused, goTo, goToUnansweredOnEnter, startAtFirst, unanswered } from "../shared/radios.js";
import { form, questions } from "./form.js";

const { keys, single } = JSON.parse(form.dataset.keymap);
const VALUES = { 1: "1", 2: "0", 3: "-1" };

// With single keys switched off a digit answers only the question that has the focus.
function digit(key) {
  if (!(key in VALUES)) {
    return false;
  }
  choose(questions, single ? current(questions) : focused(questions), VALUES[key]);
  return true;
}

function step(by) {
  const index = focused(questions);
  goTo(questions, index < 0 ? (by > 0 ? 0 : questions.length - 1) : index + by);
}

function typing(event) {
  if (event.key === "Escape") {
    goTo(questions, unanswered(questions));
  }
}

export function startKeys() {
  startAtFirst(form, questions);
  goToUnansweredOnEnter(form, questions);
  listenForKeys(keys, {
    "next-criterion": () => step(1),
    "previous-criterion": () => step(-1),
  }, { digit, typing });
}
