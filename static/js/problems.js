// Makes every failed htmx request visible; what was typed stays where it is.
const place = document.getElementById("problem");

function show(text) {
  place.textContent = text;
  place.hidden = false;
}

document.addEventListener("htmx:after:request", (event) => {
  const status = event.detail?.ctx?.response?.status ?? 200;
  if (status < 400) {
    place.hidden = true;
  } else if (status === 401) {
    show("You were signed out. Open the sign-in page in another tab, sign in, and go on here.");
  } else {
    show(`The server answered ${status}. What you typed is still here; try again.`);
  }
});

document.addEventListener("htmx:error", () => {
  show("The server cannot be reached. What you typed is still here; try again.");
});
