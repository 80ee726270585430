// Submits without losing anything to a server that is away; what it refuses, it shows as a page.
import { announce } from "./page.js";
import { isExplained, post, unexplained } from "./post.js";

async function submit(form, settled) {
  announce("");
  let answer;
  try {
    answer = await post(form.action, () => new FormData(form));
  } catch {
    announce("The server cannot be reached; nothing is lost. Submit again in a moment.");
    return;
  }
  if (!answer.ok && !isExplained(answer)) {
    announce(unexplained(answer));
    return;
  }
  settled();
  if (answer.ok) {
    location.assign((await answer.json()).location);
  } else {
    // The same request once more, as a page: the server answers it with what is wrong and where.
    form.submit();
  }
}

// `settle` ends what else is being sent and `settled` stops it for good. Buttons with an address
// of their own go there, as pages, where `mayLeave` allows it.
export function startSubmit(form, { settle = () => {}, settled = () => {}, mayLeave = () => true } = {}) {
  let isSending = false;
  let isLeaving = false;
  form.addEventListener("submit", async (event) => {
    if (isLeaving) {
      return;
    }
    event.preventDefault();
    if (isSending) {
      return;
    }
    isSending = true;
    const { submitter } = event;
    if (!submitter?.hasAttribute("formaction")) {
      await settle();
      await submit(form, settled);
    } else if (await mayLeave(submitter)) {
      settled();
      isLeaving = true;
      // A form that is still handling its own submit event takes no other one.
      setTimeout(() => form.requestSubmit(submitter));
    }
    isSending = false;
  });
}
