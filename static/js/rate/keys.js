// Keys: digits give scores, everything else is looked up in the person's own keymap.
import { chosen, form, scales } from "./form.js";
import { announce, parse } from "../shared/page.js";
import { foldDependents, goToDifference, scrollPane } from "../shared/reading.js";
import { beginTag } from "./tags.js";

const { keys } = JSON.parse(form.dataset.keymap);
const codes = new Map(Object.entries(keys).flatMap(([code, pressed]) => pressed.map((key) => [key, code])));
const leave = document.getElementById("leave");
// A focused pane scrolls by its own arrows and page keys.
const SCROLLING = ["ArrowDown", "ArrowUp", "PageDown", "PageUp"];

// The criterion that a digit goes to: where the focus is, else the first that has no score yet.
function current() {
  const focused = scales.findIndex((scale) => scale.contains(document.activeElement));
  return focused >= 0 ? focused : scales.findIndex((scale) => !chosen(scale));
}

function goTo(index) {
  const scale = scales[Math.min(Math.max(index, 0), scales.length - 1)];
  (chosen(scale) ?? scale.querySelector("input")).focus();
}

function choose(value) {
  const index = current();
  const radio = scales[index]?.querySelector(`input[value="${value}"]`);
  if (!radio || scales[index].disabled) {
    return;
  }
  radio.checked = true;
  radio.dispatchEvent(new Event("change", { bubbles: true }));
  if (index + 1 < scales.length) {
    goTo(index + 1);
  } else {
    form.querySelector("[data-action=submit]")?.focus();
  }
}

function step(by) {
  const index = current();
  goTo(index < 0 ? scales.length - 1 : index + by);
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
  const criterion = scales[Math.max(current(), 0)].querySelector("input").name;
  const answer = await fetch(`${form.dataset.rubricUrl}${criterion}/`, { headers: { "HX-Request": "true" } }).catch(() => null);
  announce(answer?.ok ? "" : "The examples could not be fetched. What you typed is still here; try again.");
  if (answer?.ok) {
    const text = document.getElementById("exemplars-text");
    text.replaceChildren(...parse(await answer.text()).body.childNodes);
    dialog.showModal();
    text.focus();
  }
}

const press = (code) => document.querySelector(`[data-action="${code}"]`)?.click();

const actions = {
  ten: () => choose("10"),
  "next-criterion": () => step(1),
  "previous-criterion": () => step(-1),
  "scroll-down": () => scrollPane("candidate", 1),
  "scroll-up": () => scrollPane("candidate", -1),
  "scroll-reference-down": () => scrollPane("reference", 1),
  "scroll-reference-up": () => scrollPane("reference", -1),
  "fold-dependents": foldDependents,
  "next-difference": () => goToDifference(1),
  "previous-difference": () => goToDifference(-1),
  comment: () => document.getElementById("id_comment").focus(),
  note: () => document.getElementById("id_note").focus(),
  tag: beginTag,
  flag: () => openLeave("id_flag_code"),
  skip: () => openLeave("id_leave_code"),
  recuse: () => openLeave("recuse"),
  queue: () => location.assign(form.dataset.queueUrl),
  rubric: showExamples,
  keys: () => document.getElementById("keys").showModal(),
};

function act(code) {
  (actions[code] ?? press)(code);
}

const isTyping = (target) => target.matches("textarea, select, input:not([type=radio])");

function escape(target) {
  if (leave?.contains(target)) {
    leave.open = false;
  }
  goTo(Math.max(current(), 0));
}

export function startKeys() {
  document.addEventListener("keydown", (event) => {
    const isCtrl = event.ctrlKey || event.metaKey;
    const key = isCtrl ? `Ctrl+${event.key}` : event.key;
    if (event.altKey || event.isComposing || document.querySelector("dialog[open]")) {
      return;
    }
    if (isTyping(event.target) && !isCtrl) {
      if (event.key === "Escape") {
        escape(event.target);
      } else if (event.key === "Enter" && leave?.contains(event.target) && event.target.matches("input")) {
        // Else Enter would submit the rating that is about to be left.
        event.preventDefault();
        event.target.closest("section").querySelector("button").click();
      }
      return;
    }
    if (event.target.closest(".pane, .reading") && SCROLLING.includes(event.key)) {
      return;
    }
    if (/^[0-9]$/.test(key)) {
      event.preventDefault();
      choose(key);
    } else if (codes.has(key)) {
      event.preventDefault();
      act(codes.get(key));
    }
  });
  for (const code of ["keys", "rubric"]) {
    document.querySelector(`[data-action="${code}"]`)?.addEventListener("click", (event) => {
      event.preventDefault();
      act(code);
    });
  }
}
