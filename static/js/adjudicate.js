// The adjudication screen: keys, aids, tagged words, a turn that lasts. The form works without them.
import { startKeys } from "./adjudicate/keys.js";
import { startTurn } from "./adjudicate/turn.js";
import { showScripted } from "./shared/page.js";
import { startReading } from "./shared/reading.js";
import { showSpans } from "./shared/spans.js";

const room = document.getElementById("ruling-room");
const panes = document.getElementById("panes");

showScripted();
startReading();
showSpans(JSON.parse(room.dataset.spans));
panes.addEventListener("click", (event) => {
  const button = event.target.closest("[data-aid]");
  if (button) {
    button.setAttribute("aria-pressed", String(panes.classList.toggle(`shows-${button.dataset.aid}`)));
  }
});
startKeys(room);
startTurn();
