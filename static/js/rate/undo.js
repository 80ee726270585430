// Takes back the last change of a score, a tag or a text.
import { fill, form, typed } from "./form.js";
import { showTags } from "./tags.js";

const button = form.querySelector("[data-action=undo]");
const before = [];
let now = typed();
let isUndoing = false;

async function undo() {
  // A text is still being typed until its field is left.
  if (typed() !== now) {
    note();
  }
  const last = before.pop();
  if (last === undefined) {
    return;
  }
  isUndoing = true;
  fill(JSON.parse(last));
  isUndoing = false;
  now = last;
  button.disabled = before.length === 0;
  await showTags();
}

function note() {
  if (!isUndoing && typed() !== now) {
    before.push(now);
    now = typed();
    button.disabled = false;
  }
}

export function startUndo() {
  form.addEventListener("change", note);
  button?.addEventListener("click", undo);
}
