// Submits without losing anything to a server that is away; what it refuses, it shows as a page.
import { isExplained, post, unexplained } from "../shared/post.js";
import { form } from "./form.js";

const problem = document.getElementById("problem");
let isOnItsWay = false;

function say(text) {
  problem.textContent = text;
  problem.hidden = !text;
}

async function submit() {
  say("");
  let answer;
  try {
    answer = await post(form.action, () => new FormData(form));
  } catch {
    say("The server cannot be reached; nothing is lost. Submit again in a moment.");
    return;
  }
  if (answer.ok) {
    location.assign((await answer.json()).location);
  } else if (!isExplained(answer)) {
    say(unexplained(answer));
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
