// One key starts the next rating.
document.addEventListener("keydown", (event) => {
  if (event.key === "n" && !event.ctrlKey && !event.metaKey && !event.altKey) {
    document.querySelector("[data-start]")?.click();
  }
});
