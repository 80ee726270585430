// The calibration screen: digits give scores, as on the rate page. The form works without.
import { choose, current, goTo } from "./shared/radios.js";
import { startReading } from "./shared/reading.js";

const scales = [...document.querySelectorAll("fieldset.scale")];

startReading();
if (scales.length && matchMedia("(min-width: 60.01rem)").matches && document.activeElement === document.body) {
  goTo(scales, 0);
}
document.addEventListener("keydown", (event) => {
  const value = event.key === "t" ? "10" : event.key;
  if (/^(\d|10)$/.test(value) && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    choose(scales, current(scales), value);
  }
});
