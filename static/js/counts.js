// Has the counts of an open campaign asked for again, as long as somebody can see them.
const EVERY = 5000;

function look() {
  // The section that comes when the campaign has closed does not ask to be kept up.
  if (document.visibilityState === "visible") {
    document.querySelector("#counts[data-live]")?.dispatchEvent(new Event("look"));
  }
}

setInterval(look, EVERY);
document.addEventListener("visibilitychange", look);
