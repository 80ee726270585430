// Posts to our own server, signs in again when the session has ended, and hands back the answer.
import { signInAgain } from "./sign-in.js";
import { freshToken, send } from "./tokens.js";

const MOST_TRIES = 5;
// Answers that are a page of the same form, with what is wrong and where.
const EXPLAINED = [409, 422];

export const isExplained = (answer) => EXPLAINED.includes(answer.status);

// What is said of every other answer; the page that is there still holds what was typed.
export const unexplained = (answer) => answer.status === 429
  ? "Too much was asked in a short time; nothing is lost. Try again in a minute."
  : `The server answered ${answer.status}; nothing is lost. Try again in a moment.`;

export async function post(url, data, more = {}) {
  let isRenewed = false;
  for (let tries = 1; ; tries += 1) {
    const body = new URLSearchParams(data());
    body.delete("csrfmiddlewaretoken");
    const answer = await send(url, body, more);
    if (answer.status === 401 && tries < MOST_TRIES) {
      await signInAgain();
    } else if (answer.status === 403 && !isRenewed) {
      isRenewed = await freshToken();
      if (!isRenewed) {
        return answer;
      }
    } else {
      return answer;
    }
  }
}
