// Groups of radio buttons, one for each criterion, answered and walked through by keys.
import { completedTen, noteOne } from "./tens.js";

export const chosen = (group) => group.querySelector("input:checked");
export const focused = (groups) => groups.findIndex((group) => group.contains(document.activeElement));
export const unanswered = (groups) => groups.findIndex((group) => !chosen(group));

// The group that a digit answers: where the focus is, else the first without an answer.
export function current(groups) {
  const index = focused(groups);
  return index >= 0 ? index : unanswered(groups);
}

export function goTo(groups, index) {
  const group = groups[Math.min(Math.max(index, 0), groups.length - 1)];
  (chosen(group) ?? group.querySelector("input")).focus();
}

// Where the groups stand below the claims, a page begins at the claims.
export function startAtFirst(form, groups) {
  const isWide = matchMedia("(min-width: 60.01rem)").matches;
  if ("starts" in form.dataset && isWide && !location.hash && document.activeElement === document.body) {
    goTo(groups, 0);
  }
}

export function choose(groups, index, value) {
  const radio = groups[index]?.querySelector(`input[value="${value}"]`);
  if (!radio || groups[index].disabled) {
    return;
  }
  radio.checked = true;
  radio.dispatchEvent(new Event("change", { bubbles: true }));
  if (index + 1 < groups.length) {
    goTo(groups, index + 1);
  } else {
    radio.form.querySelector("[data-action=submit]")?.focus();
  }
}

// Gives the group in focus the score of a digit; returns whether the key was one. A 0 that completes
// a ten changes the criterion before, and leaves the one that has the focus now as it is.
export function scoreByDigit(groups, key, event) {
  const ten = completedTen(key, event);
  if (!/^[0-9]$/.test(key)) {
    return false;
  }
  const index = ten ?? current(groups);
  choose(groups, index, ten === null ? key : "10");
  if (key === "1") {
    noteOne(index, event);
  }
  return true;
}

// Enter on a radio button goes to the first group without an answer; where all have one, the
// browser submits the form by itself.
export function goToUnansweredOnEnter(form, groups) {
  form.addEventListener("keydown", (event) => {
    const isPlainEnter = event.key === "Enter" && !event.ctrlKey && !event.metaKey;
    if (isPlainEnter && event.target.matches("input[type=radio]") && unanswered(groups) >= 0) {
      event.preventDefault();
      goTo(groups, unanswered(groups));
    }
  });
}
