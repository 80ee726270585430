// The calibration screen: digits give scores, as on the rate page. The form works without.
import { choose, current, goTo, goToUnansweredOnEnter, scoreByDigit } from "./shared/radios.js";
import { showScripted } from "./shared/page.js";
import { startReading } from "./shared/reading.js";

const form = document.getElementById("rating-form");
const tens = form ? (JSON.parse(form.dataset.keymap).keys.ten ?? []) : [];
const scales = [...document.querySelectorAll("fieldset.scale")];

showScripted();
startReading();
if (scales.length && matchMedia("(min-width: 60.01rem)").matches && document.activeElement === document.body) {
  goTo(scales, 0);
}
if (form) {
  goToUnansweredOnEnter(form, scales);
}
document.addEventListener("keydown", (event) => {
  if (!scales.length || event.ctrlKey || event.metaKey || event.altKey) {
    return;
  }
  if (scoreByDigit(scales, event.key, event)) {
    event.preventDefault();
  } else if (tens.includes(event.key)) {
    event.preventDefault();
    choose(scales, current(scales), "10");
  }
});
