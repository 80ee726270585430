// Submits without losing anything to a server that is away; what it refuses, it shows as a page.
import { announce } from "../shared/page.js";
import { isExplained, post, unexplained } from "../shared/post.js";
import { form } from "./form.js";

let isOnItsWay = false;

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
    location.assign((await answer.json()).location);
  } else if (!isExplained(answer)) {
    announce(unexplained(answer));
  } else {
    // The same request once more, as a page: the server answers it with what is wrong and where.
    form.submit();
  }
}

export function startSubmit() {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (isOnItsWay) {
      return;
    }
    isOnItsWay = true;
    await submit();
    isOnItsWay = false;
  });
}
