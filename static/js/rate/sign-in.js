// Signs in again in place, so that an ended session costs nothing that was typed.
import { freshToken, token, useToken } from "./tokens.js";

const dialog = document.getElementById("sign-in-again");
const signIn = dialog.querySelector("form");
const problem = dialog.querySelector(".error");
let waiting = null;

function say(text) {
  problem.textContent = text;
  problem.hidden = !text;
}

export function signInAgain() {
  waiting ??= new Promise((resolve) => {
    say("");
    dialog.showModal();
    dialog.addEventListener("signed-in", () => { waiting = null; resolve(); }, { once: true });
  });
  return waiting;
}

async function send() {
  const body = new URLSearchParams(new FormData(signIn));
  const headers = { "HX-Request": "true", "X-CSRFToken": token() };
  return fetch(dialog.dataset.url, { method: "POST", body, headers });
}

signIn.addEventListener("submit", async (event) => {
  event.preventDefault();
  try {
    let answer = await send();
    if (answer.status === 403 && (await freshToken())) {
      answer = await send();
    }
    const said = await answer.json();
    if (!answer.ok) {
      say(said.sentence);
      return;
    }
    useToken(said.token);
    signIn.querySelector("[type=password]").value = "";
    dialog.close();
    dialog.dispatchEvent(new Event("signed-in"));
  } catch {
    say("The server cannot be reached. Try again in a moment.");
  }
});

// Without a session nothing can be kept: the dialog stays until one is there.
dialog.addEventListener("cancel", (event) => event.preventDefault());

// What else asks the server, the overall for one, asks again once the token is renewed.
document.addEventListener("signed-out", (event) => {
  event.preventDefault();
  signInAgain();
});
