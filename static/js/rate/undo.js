// Takes back the last change of a score, a tag or a text.
import { goTo } from "../shared/radios.js";
import { field, fill, form, scales, tagsField, typed } from "./form.js";
import { showTags } from "./tags.js";

const button = form.querySelector("[data-action=undo]");
const before = [];
let now = typed();
let isUndoing = false;

// What is typed next must go where the undone change was. The focus goes around a text and not into
// it: there the key of the next undo would be a letter of the text.
function focusOn(name) {
  const index = scales.findIndex((scale) => scale.elements.namedItem(name));
  if (index >= 0) {
    goTo(scales, index);
    return;
  }
  const place = name === tagsField ? document.getElementById("tag-choice") : field(name).closest(".field");
  place.tabIndex = -1;
  place.focus();
}

async function undo() {
  // A text is still being typed until its field is left.
  if (typed() !== now) {
    rememberChange();
  }
  const last = before.pop();
  if (last === undefined) {
    return;
  }
  const [values, undone] = [last, now].map((text) => JSON.parse(text));
  isUndoing = true;
  fill(values);
  isUndoing = false;
  now = last;
  button.disabled = before.length === 0;
  focusOn(Object.keys(values).find((name) => values[name] !== undone[name]));
  await showTags();
}

function rememberChange() {
  if (!isUndoing && typed() !== now) {
    before.push(now);
    now = typed();
    button.disabled = false;
  }
}

export function startUndo() {
  form.addEventListener("change", rememberChange);
  button?.addEventListener("click", undo);
}
