// A turn lasts while its holder is at work: typing renews it, every few minutes at most.
import { announce } from "../shared/page.js";
import { post, unexplained } from "../shared/post.js";

const OFTEN = 5 * 60 * 1000;
const shown = document.getElementById("held-until");
let renewed = Date.now();

async function renew() {
  if (Date.now() - renewed < OFTEN) {
    return;
  }
  renewed = Date.now();
  try {
    const answer = await post(shown.dataset.takeUrl, () => new URLSearchParams());
    if (answer.ok) {
      shown.textContent = (await answer.json()).until;
      announce("");
    } else {
      announce(answer.status === 409 ? (await answer.json()).sentence : unexplained(answer));
    }
  } catch {
    // A server that is away is asked again with the next keys; a ruling says itself what is wrong.
    renewed = 0;
  }
}

export function startTurn() {
  if (shown) {
    document.addEventListener("input", renew);
    document.addEventListener("keydown", renew);
  }
}
