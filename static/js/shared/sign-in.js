// Signs in again in place, so that an ended session costs nothing that was typed.
import { announce } from "./page.js";
import { freshToken, send, useToken } from "./tokens.js";
import { usePasskey } from "./webauthn.js";

// Nobody is interrupted in the middle of a word: its last letters would go into the password.
const PAUSE_MS = 1000;
const dialog = document.getElementById("sign-in-again");
const signIn = dialog.querySelector("form");
const showProblem = (text) => announce(text, dialog.querySelector(".error"));
const code = signIn.querySelector("[name=code]");
// Where the code of the second factor goes, once the password was right; empty before.
let codeUrl = "";
// What the browser is to ask an authenticator in the place of a code, for who has passkeys.
let asked = "";
const passkeyButton = dialog.querySelector("[data-use-passkey]");
let waiting = null;
let lastKeyAt = -PAUSE_MS;

const quietFor = () => performance.now() - lastKeyAt;

async function pauseInTyping() {
  while (quietFor() < PAUSE_MS) {
    await new Promise((resolve) => { setTimeout(resolve, PAUSE_MS - quietFor()); });
  }
}

async function ask() {
  await pauseInTyping();
  showProblem("");
  dialog.showModal();
  await new Promise((resolve) => { dialog.addEventListener("signed-in", resolve, { once: true }); });
  waiting = null;
}

export function signInAgain() {
  waiting ??= ask();
  return waiting;
}

function askForCode(url) {
  codeUrl = url;
  code.value = "";
  code.closest(".field").hidden = !url;
  passkeyButton.parentElement.hidden = !asked;
  (url ? code : signIn.querySelector("[type=password]")).focus();
}

function goOn() {
  dialog.close();
  dialog.dispatchEvent(new Event("signed-in"));
}

// Whoever signed in at a provider did so in another tab. If not, what is asked next opens this again.
dialog.querySelector("[data-signed-in]")?.addEventListener("click", async () => {
  try {
    await freshToken();
    goOn();
  } catch {
    showProblem("The server cannot be reached. Try again in a moment.");
  }
});

const sendForm = (more) =>
  send(codeUrl || dialog.dataset.url, new URLSearchParams([...new FormData(signIn), ...more]));

async function tryToSignIn(...more) {
  try {
    let answer = await sendForm(more);
    if (answer.status === 403 && (await freshToken())) {
      answer = await sendForm(more);
    }
    const said = await answer.json();
    if (!answer.ok || said.code_url) {
      asked = said.passkey ?? "";
      if (said.code_url || said.is_over) {
        askForCode(said.code_url ?? "");
      }
      showProblem(said.sentence);
      return;
    }
    asked = "";
    askForCode("");
    useToken(said.token);
    signIn.querySelector("[type=password]").value = "";
    goOn();
  } catch {
    showProblem("The server cannot be reached. Try again in a moment.");
  }
}

signIn.addEventListener("submit", (event) => {
  event.preventDefault();
  tryToSignIn();
});

passkeyButton.addEventListener("click", async () => {
  try {
    await tryToSignIn(["passkey", await usePasskey(asked)]);
  } catch (error) {
    showProblem(error.message);
  }
});

document.addEventListener("keydown", () => { lastKeyAt = performance.now(); }, { capture: true });

// Without a session nothing can be kept: the dialog stays until one is there.
dialog.addEventListener("cancel", (event) => event.preventDefault());

// What else asks the server, the overall for one, asks again once the token is renewed.
document.addEventListener("signed-out", (event) => {
  event.preventDefault();
  signInAgain();
});
