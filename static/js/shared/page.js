// The parts of a page that scripts change: messages, controls, fragments sent by the server.
export const problem = document.getElementById("problem");

// Screen readers read the element out when it changes; an empty text hides it.
export function announce(text, element = problem) {
  element.textContent = text;
  element.hidden = !text;
}

// Some controls work only with scripts, others replace them where there are none.
export function showScripted() {
  document.querySelectorAll("[data-scripted]").forEach((element) => { element.hidden = false; });
  document.querySelectorAll("[data-unscripted]").forEach((element) => { element.hidden = true; });
}

// Only for HTML of our own server, which escapes every text in it.
export const parse = (html) => new DOMParser().parseFromString(html, "text/html");

export function replacePart(id, html) {
  document.getElementById(id).replaceWith(parse(html).getElementById(id));
}

export function quietButton(text, act) {
  const button = document.createElement("button");
  Object.assign(button, { type: "button", className: "quiet", textContent: text });
  button.addEventListener("click", act);
  return button;
}
