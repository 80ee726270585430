// Description and drawings beside the claims: fetched when they are opened, searched, zoomed by key.
import { announce, parse, showScripted } from "./page.js";
import { isExplained, post, unexplained } from "./post.js";

const SIZES = ["size-fit", "size-2", "size-3", "size-4", "size-6"];
const ZOOM_KEYS = new Map([["+", 1], ["=", 1], ["-", -1], ["0", 0]]);
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

function zoom(by) {
  const sheet = pane.querySelector(".sheet");
  const now = Math.max(SIZES.findIndex((size) => sheet.classList.contains(size)), 0);
  const next = by ? Math.min(Math.max(now + by, 0), SIZES.length - 1) : 0;
  sheet.classList.remove(...SIZES);
  sheet.classList.add(SIZES[next]);
}

function pressed(event) {
  const isOfSheet = event.target.closest(".sheet, .zoom") && ZOOM_KEYS.has(event.key);
  if (isOfSheet && !event.ctrlKey && !event.metaKey && !event.altKey) {
    zoom(ZOOM_KEYS.get(event.key));
  } else if (event.key === "Escape" && link) {
    close();
  } else {
    return;
  }
  event.preventDefault();
  // A digit would be a score, and Escape would lead to the scores.
  event.stopPropagation();
}

function clicked({ target }) {
  const button = target.closest("button");
  if (button?.dataset.zoom) {
    zoom(Number(button.dataset.zoom));
  } else if (button?.matches("[data-closes-context]")) {
    close();
  }
}

export function startContext() {
  if (!pane) {
    return;
  }
  link?.addEventListener("click", (event) => {
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
  pane.addEventListener("click", clicked);
  // On a page of its own the form is sent as any other.
  if (link) {
    pane.addEventListener("submit", (event) => {
      event.preventDefault();
      const { target: form, submitter } = event;
      ask(form.action, () => new FormData(form, submitter), again(submitter));
    });
  }
}
