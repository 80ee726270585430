// The token that proves a request came from our own page; every sign-in makes a new one.
const inputs = () => document.querySelectorAll("input[name=csrfmiddlewaretoken]");

export const token = () => inputs()[0].value;

export function useToken(fresh) {
  inputs().forEach((input) => { input.value = fresh; });
  document.body.setAttribute("hx-headers:inherited", JSON.stringify({ "X-CSRFToken": fresh }));
  document.dispatchEvent(new Event("token-renewed"));
}

// After a sign-in elsewhere in this browser the page itself, asked again, says which.
export async function freshToken() {
  const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const fresh = page.querySelector("input[name=csrfmiddlewaretoken]")?.value;
  if (fresh) {
    useToken(fresh);
  }
  return Boolean(fresh);
}
