// Keys of the rate screen: scores, criteria, panes, submit. The form itself works without them.
const form = document.getElementById("rating-form");
const scales = [...form.querySelectorAll("fieldset.scale")];
const dialog = document.getElementById("keys");
const comment = document.getElementById("id_comment");
const keysButton = document.querySelector("[data-keys]");

const chosen = (scale) => scale.querySelector("input:checked");

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
    form.querySelector("button[type=submit]")?.focus();
  }
}

function scroll(name, step) {
  const pane = document.getElementById(name);
  pane.scrollBy({ top: step * pane.clientHeight * 0.8 });
}

function step(by) {
  const index = current();
  goTo(index < 0 ? scales.length - 1 : index + by);
}

const actions = {
  t: () => choose("10"),
  "-": () => choose("10"),
  j: () => step(1),
  k: () => step(-1),
  ArrowDown: () => step(1),
  ArrowUp: () => step(-1),
  PageDown: () => scroll("candidate", 1),
  PageUp: () => scroll("candidate", -1),
  "]": () => scroll("reference", 1),
  "[": () => scroll("reference", -1),
  c: () => comment.focus(),
  "?": () => dialog.showModal(),
};
// A focused pane scrolls by its own arrows and page keys.
const scrolling = ["ArrowDown", "ArrowUp", "PageDown", "PageUp"];

document.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    form.querySelector("button[type=submit]")?.click();
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || dialog.open) {
    return;
  }
  if (event.target === comment) {
    if (event.key === "Escape") {
      goTo(0);
    }
    return;
  }
  if (event.target.closest(".pane") && scrolling.includes(event.key)) {
    return;
  }
  if (/^[0-9]$/.test(event.key)) {
    event.preventDefault();
    choose(event.key);
  } else if (actions[event.key]) {
    event.preventDefault();
    actions[event.key]();
  }
});

keysButton.hidden = false;
keysButton.addEventListener("click", () => dialog.showModal());
