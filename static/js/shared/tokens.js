// The token that proves a request came from our own page; every sign-in makes a new one.
import { parse } from "./page.js";

const inputs = () => document.querySelectorAll("input[name=csrfmiddlewaretoken]");

const token = () => inputs()[0].value;

export function useToken(fresh) {
  inputs().forEach((input) => { input.value = fresh; });
  document.body.setAttribute("hx-headers:inherited", JSON.stringify({ "X-CSRFToken": fresh }));
  document.dispatchEvent(new Event("token-renewed"));
}

export function send(url, body, more = {}) {
  const headers = { "HX-Request": "true", "X-CSRFToken": token() };
  return fetch(url, { method: "POST", body, headers, ...more });
}

// After a sign-in elsewhere in this browser the page itself, asked again, says which.
export async function freshToken() {
  const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
  const fresh = parse(await answer.text()).querySelector("input[name=csrfmiddlewaretoken]")?.value;
  if (fresh) {
    useToken(fresh);
  }
  return Boolean(fresh);
}
