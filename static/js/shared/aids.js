// Reading aids: the server remembers each switch and sends the claim sets as they are read now.
import { announce } from "./page.js";
import { post } from "./post.js";
import { showPanes } from "./reading.js";

const buttonOf = (action) => document.querySelector(`#panes [data-action="${action}"]`);
let last = Promise.resolve();

async function turn(action) {
  const { formAction, value } = buttonOf(action);
  const answer = await post(formAction, () => new URLSearchParams({ aid: value }));
  if (!answer.ok) {
    throw new Error(answer.status);
  }
  const html = await answer.text();
  const hadFocus = buttonOf(action).contains(document.activeElement);
  showPanes(html);
  if (hadFocus) {
    buttonOf(action).focus();
  }
}

export function startAids() {
  document.addEventListener("click", (event) => {
    const button = event.target.closest("#panes button[name=aid]");
    if (!button) {
      return;
    }
    event.preventDefault();
    const { action } = button.dataset;
    // One after the other: each answer shows what all presses before it have asked for.
    last = last.then(() => turn(action)).then(() => announce(""), () => {
      announce("The reading aid was not switched: the server did not answer as it should. Try again.");
    });
  });
}
