// Keys: a capital chooses a column of the table, a digit is a new score; another one corrects it.
import { listenForKeys } from "../shared/keys.js";
import { completedTen, noteOne } from "../shared/tens.js";

const form = document.getElementById("ruling");

// After "new scores" the first score is what comes next, after anything else the reason.
function choose(key) {
  const radio = [...document.querySelectorAll("input[name=decision]:enabled")].find((one) => one.dataset.key === key);
  if (!radio) {
    return false;
  }
  radio.checked = true;
  const next = radio.value === "scores" ? document.querySelector(".scores select") : document.getElementById("id_reason_code");
  next?.focus();
  return true;
}

// In a new score a digit takes the place of another; a 0 soon after a 1 makes it a ten.
function score(select, tens, event) {
  const { key } = event;
  const isTen = completedTen(key, event) === select || tens.includes(key);
  if (!isTen && !/^[0-9]$/.test(key)) {
    return false;
  }
  select.value = isTen ? "10" : key;
  if (key === "1") {
    noteOne(select, event);
  }
  return true;
}

const isEmpty = (field) => (field.type === "radio" ? !form.elements.namedItem(field.name).value : !field.value.trim());

// What a ruling still needs, in the order of the page: new scores only where they were chosen.
function missing() {
  const isScored = form.elements.namedItem("decision").value === "scores";
  const isNeeded = ({ dataset }) => dataset.needed === "always" || (dataset.needed === "new-scores" && isScored);
  return [...form.elements].find((field) => isNeeded(field) && !field.disabled && isEmpty(field));
}

// Enter signs, or goes to what is missing. In a text it begins a line, and it opens the reasons.
function signOrGoToMissing(event) {
  const isPlainEnter = event.key === "Enter" && !event.ctrlKey && !event.metaKey;
  if (isPlainEnter && event.target.form === form && event.target.matches("input, .scores select")) {
    event.preventDefault();
    const field = missing();
    if (field) {
      field.focus();
    } else {
      form.requestSubmit(form.querySelector("[data-action=submit]"));
    }
  }
}

export function startKeys({ keys, single }) {
  const tens = keys.ten ?? [];
  const typing = (event) => {
    const { key, target } = event;
    if (key === "Escape") {
      target.blur();
    } else if (target.matches("select") && ((single && choose(key)) || (target.matches(".scores select") && score(target, tens, event)))) {
      // From a list another column may be chosen too: a capital is no letter that finds an entry.
      event.preventDefault();
    }
  };
  const digit = (key, { target }) => (single || target.matches("input[name=decision]")) && choose(key);
  if (form) {
    document.addEventListener("keydown", signOrGoToMissing);
  }
  listenForKeys(keys, {}, { digit, typing });
}
