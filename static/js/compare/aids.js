// Reading aids: switched here at once, and remembered by the server for the next page.
import { post } from "../shared/post.js";
import { toggleAid } from "../shared/reading.js";
import { form } from "./form.js";

function remember(button, isOn) {
  // A wish that is lost on the way costs one key press on the next page and nothing else.
  post(button.formAction, () => new URLSearchParams({ aid: `${button.dataset.aid} ${isOn ? "on" : "off"}` })).catch(() => {});
}

export function startAids() {
  form.addEventListener("submit", (event) => {
    const button = event.submitter;
    if (!button?.dataset.aid) {
      return;
    }
    event.preventDefault();
    event.stopImmediatePropagation();
    remember(button, toggleAid(button));
  });
}
