// Puts a button that copies beside digests, links, and tokens that are shown once.
import { quietButton } from "./shared/page.js";

async function copy(code, button) {
  try {
    await navigator.clipboard.writeText(code.textContent);
    button.textContent = "Copied";
  } catch {
    // Without https, or where the browser forbids it, the text is at least ready to be copied.
    getSelection().selectAllChildren(code);
    button.textContent = "Selected: now copy it";
  }
}

function addButtons() {
  for (const code of document.querySelectorAll("[data-copy]")) {
    if (code.nextElementSibling?.dataset.copies === undefined) {
      const button = quietButton("Copy", () => copy(code, button));
      button.dataset.copies = "";
      button.ariaLive = "polite";
      // What is copied stands before it; its name tells several buttons of a page apart.
      button.ariaDescription = code.dataset.copy;
      code.after(" ", button);
    }
  }
}

addButtons();
document.addEventListener("htmx:after:swap", addButtons);
