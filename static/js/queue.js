// One key starts the next rating, one opens the guide.
const pressed = { n: "[data-start]", "?": "[data-help]" };
document.addEventListener("keydown", (event) => {
  if (event.key in pressed && !event.ctrlKey && !event.metaKey && !event.altKey) {
    document.querySelector(pressed[event.key])?.click();
  }
});
