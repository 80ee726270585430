// Keys: digits give scores.
import { listenForKeys } from "../shared/keys.js";
import { announce, parse } from "../shared/page.js";
import { choose, current, goTo, goToUnansweredOnEnter, scoreByDigit, startAtFirst } from "../shared/radios.js";
import { scrollPane } from "../shared/reading.js";
import { form, scales } from "./form.js";
import { beginTag, tagMark } from "./tags.js";

const { keys } = JSON.parse(form.dataset.keymap);
const leave = document.getElementById("leave");

function step(by) {
  const index = current(scales);
  goTo(scales, index < 0 ? scales.length - 1 : index + by);
}

function openLeave(id) {
  if (leave) {
    leave.open = true;
    document.getElementById(id)?.focus();
  }
}

// The bands and worked examples of the criterion in focus, over the page.
async function showExamples() {
  const dialog = document.getElementById("exemplars");
  const criterion = scales[Math.max(current(scales), 0)].querySelector("input").name;
  const answer = await fetch(`${form.dataset.rubricUrl}${criterion}/`, { headers: { "HX-Request": "true" } }).catch(() => null);
  announce(answer?.ok ? "" : "The examples could not be fetched. What you typed is still here; try again.");
  if (answer?.ok) {
    const text = document.getElementById("exemplars-text");
    text.replaceChildren(...parse(await answer.text()).body.childNodes);
    dialog.showModal();
    text.focus();
  }
}

const actions = {
  ten: () => choose(scales, current(scales), "10"),
  "next-criterion": () => step(1),
  "previous-criterion": () => step(-1),
  "scroll-reference-down": () => scrollPane("reference", 1),
  "scroll-reference-up": () => scrollPane("reference", -1),
  tag: beginTag,
  "tag-mark": tagMark,
  flag: () => openLeave("id_flag_code"),
  skip: () => openLeave("skip"),
  recuse: () => openLeave("recuse"),
  queue: () => location.assign(form.dataset.queueUrl),
  rubric: showExamples,
};

function typing(event) {
  if (event.key === "Escape") {
    goTo(scales, current(scales));
  } else if (event.key === "Enter" && leave?.contains(event.target) && event.target.matches("input")) {
    // Else Enter would submit the rating that is about to be left.
    event.preventDefault();
    event.target.closest("section").querySelector("button").click();
  }
}

// From its buttons as from its fields.
function closeLeave(event) {
  if (event.key === "Escape") {
    leave.open = false;
    goTo(scales, current(scales));
  }
}

export function startKeys() {
  startAtFirst(form, scales);
  leave?.addEventListener("keydown", closeLeave);
  goToUnansweredOnEnter(form, scales);
  listenForKeys(keys, actions, { digit: (key, event) => scoreByDigit(scales, key, event), typing });
  document.querySelector("[data-action=rubric]").addEventListener("click", (event) => {
    event.preventDefault();
    showExamples();
  });
}
