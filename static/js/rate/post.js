// Posts to our own server, signs in again when the session has ended, and hands back the answer.
import { signInAgain } from "./sign-in.js";
import { freshToken, token } from "./tokens.js";

const MOST_TRIES = 5;

export async function post(url, data, more = {}) {
  let isRenewed = false;
  for (let tries = 1; ; tries += 1) {
    const body = new URLSearchParams(data());
    body.delete("csrfmiddlewaretoken");
    const headers = { "HX-Request": "true", "X-CSRFToken": token() };
    const answer = await fetch(url, { method: "POST", body, headers, ...more });
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
