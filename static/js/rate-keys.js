// Keys of the rate screen: scores, criteria, submit. The form itself works without them.
const form = document.getElementById("rating-form");
const scales = [...form.querySelectorAll("fieldset.scale")];
const dialog = document.getElementById("keys");
const comment = document.getElementById("id_comment");
const keysButton = document.querySelector("[data-keys]");
let marked = Math.max(0, scales.findIndex((scale) => !scale.querySelector("input:checked")));

function mark(index, takeFocus = true) {
  marked = Math.min(Math.max(index, 0), scales.length - 1);
  scales.forEach((scale, place) => scale.classList.toggle("marked", place === marked));
  if (takeFocus) {
    const radio = scales[marked].querySelector("input:checked") ?? scales[marked].querySelector("input");
    radio.focus({ preventScroll: false });
  }
}

function choose(value) {
  const radio = scales[marked].querySelector(`input[value="${value}"]`);
  if (!radio || radio.disabled) {
    return;
  }
  radio.checked = true;
  radio.dispatchEvent(new Event("change", { bubbles: true }));
  if (marked < scales.length - 1) {
    mark(marked + 1);
  } else {
    form.querySelector("button[type=submit]")?.focus();
  }
}

const actions = {
  t: () => choose("10"),
  j: () => mark(marked + 1),
  k: () => mark(marked - 1),
  c: () => comment.focus(),
  "[": () => document.querySelector("[data-previous]")?.click(),
  "]": () => document.querySelector("[data-next]")?.click(),
  "?": () => dialog.showModal(),
};

document.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    form.requestSubmit();
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || dialog.open) {
    return;
  }
  if (event.target === comment) {
    if (event.key === "Escape") {
      mark(marked);
    }
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

scales.forEach((scale, index) => scale.addEventListener("focusin", () => mark(index, false)));
keysButton.hidden = false;
keysButton.addEventListener("click", () => dialog.showModal());
mark(marked, !form.querySelector("[autofocus]"));
