// Makes every failed htmx request visible; what was typed stays where it is.
import { announce, problem } from "./shared/page.js";

let shown = "";
// What stood there when each request set out.
const stood = new WeakMap();

const isOurs = () => problem.hidden || problem.textContent === shown;

// A request that set out before another script spoke is older news than what that one said.
function showUnlessOld(ctx, text) {
  if (isOurs() || !stood.has(ctx) || stood.get(ctx) === problem.textContent) {
    show(text);
  }
}

function show(text) {
  shown = text;
  announce(text);
}

// Without this htmx would follow the redirect to the sign-in page and drop what was typed.
document.addEventListener("htmx:before:response", (event) => {
  if (event.detail?.ctx?.response?.status === 401) {
    event.preventDefault();
    // A page that can sign in again in place says so by cancelling this.
    if (!document.dispatchEvent(new Event("signed-out", { cancelable: true }))) {
      return;
    }
    show("You were signed out. Sign in in another tab, then go on here: what you typed is still in this page.");
  }
});

document.addEventListener("htmx:before:request", (event) => {
  stood.set(event.detail.ctx, problem.textContent);
});

document.addEventListener("htmx:after:request", (event) => {
  const ctx = event.detail?.ctx;
  const status = ctx?.response?.status ?? 200;
  if (status < 400) {
    // What another script says of its own request stays until that one succeeds.
    problem.hidden = isOurs();
  } else if (status === 403) {
    showUnlessOld(ctx, "The server did not accept this page any more. Copy what you typed and load the page again.");
  } else {
    showUnlessOld(ctx, `The server answered ${status}. What you typed is still here; try again.`);
  }
});

document.addEventListener("htmx:error", (event) => {
  showUnlessOld(event.detail?.ctx, "The server cannot be reached. What you typed is still here; try again.");
});
