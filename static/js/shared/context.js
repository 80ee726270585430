// Description and drawings beside the claims: fetched when they are opened, searched, closed.
import { announce, parse, showScripted } from "./page.js";
import { isExplained, post, unexplained } from "./post.js";
import { startZoom } from "./zoom.js";

const pane = document.getElementById("context");
const link = document.querySelector("[data-action=context]");

const heading = () => pane.querySelector("#context-heading");

function close() {
  pane.replaceChildren();
  link.focus();
}

// `focused` is how to find the control again that was pressed.
function show(html, focused) {
  pane.replaceChildren(...parse(html).body.childNodes);
  showScripted();
  const wanted = pane.querySelector("[autofocus]");
  wanted?.scrollIntoView({ block: "center" });
  (wanted ?? pane.querySelector(focused || null) ?? heading()).focus();
}

async function ask(url, data, focused) {
  const answer = await post(url, data).catch(() => null);
  if (answer?.ok || (answer && isExplained(answer))) {
    announce("");
    show(await answer.text(), focused);
  } else {
    announce(answer ? unexplained(answer) : "The context could not be fetched: the server cannot be reached. Try again.");
  }
}

// The same control of the new pane, so that pages are turned without going back to the button.
function again(button) {
  if (!button || button.name === "at") {
    return ".context-text";
  }
  return button.name === "sheet" ? ".sheet" : `button[name="${button.name}"]`;
}

function pressed(event) {
  if (event.key === "Escape") {
    close();
    event.preventDefault();
    // It would lead to the scores.
    event.stopPropagation();
  }
}

export function startContext() {
  if (!pane) {
    return;
  }
  startZoom(pane);
  link.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) {
      return;
    }
    event.preventDefault();
    if (pane.hasChildNodes()) {
      close();
    } else {
      ask(link.href, () => new URLSearchParams());
    }
  });
  pane.addEventListener("keydown", pressed);
  pane.addEventListener("click", ({ target }) => {
    if (target.closest("[data-closes-context]")) {
      close();
    }
  });
  pane.addEventListener("submit", (event) => {
    event.preventDefault();
    const { target: form, submitter } = event;
    ask(form.action, () => new FormData(form, submitter), again(submitter));
  });
}
