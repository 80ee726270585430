// Sends a form once the browser has used, or made, the passkey that the form asks for.
import { announce, showScripted } from "./shared/page.js";
import { usePasskey } from "./shared/webauthn.js";

async function answer(form) {
  const problem = form.querySelector(".error");
  const button = form.querySelector("[type=submit]");
  announce("", problem);
  button.disabled = true;
  try {
    form.elements.passkey.value = await usePasskey(form.dataset.passkey);
    form.submit();
  } catch (error) {
    announce(error.message, problem);
    button.disabled = false;
    button.focus();
  }
}

showScripted();
for (const form of document.querySelectorAll("[data-passkey]")) {
  form.querySelector("[type=submit]").hidden = false;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    answer(form);
  });
  if ("passkeyNow" in form.dataset) {
    answer(form);
  }
}
