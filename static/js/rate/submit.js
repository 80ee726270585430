// Submits without losing anything to a server that is away; what it refuses, it shows as a page.
import { keep, settle, settled } from "./drafts.js";
import { form } from "./form.js";
import { announce } from "../shared/page.js";
import { isExplained, post, unexplained } from "../shared/post.js";

let isOnItsWay = false;
let isLeaving = false;

async function submit() {
  announce("");
  let answer;
  try {
    answer = await post(form.action, () => new FormData(form));
  } catch {
    announce("The server cannot be reached; nothing is lost. Submit again in a moment.");
    return;
  }
  if (answer.ok) {
    settled();
    location.assign((await answer.json()).location);
  } else if (!isExplained(answer)) {
    announce(unexplained(answer));
  } else {
    settled();
    // The same request once more, as a page: the server answers it with what is wrong and where.
    form.submit();
  }
}

// The other buttons of the form go to their own addresses, as pages, once all typed is stored.
async function leave(button) {
  if (!("forgets" in button.dataset) && !(await keep())) {
    return;
  }
  settled();
  isLeaving = true;
  // A form that is still handling its own submit event takes no other one.
  setTimeout(() => form.requestSubmit(button));
}

export function startSubmit() {
  form.addEventListener("submit", async (event) => {
    if (isLeaving) {
      return;
    }
    event.preventDefault();
    if (isOnItsWay) {
      return;
    }
    isOnItsWay = true;
    if (event.submitter?.hasAttribute("formaction")) {
      await leave(event.submitter);
    } else {
      await settle();
      await submit();
    }
    isOnItsWay = false;
  });
}
