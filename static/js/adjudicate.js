// The adjudication screen: keys, aids, tagged words, a turn that lasts. The form works without them.
import { startKeys } from "./adjudicate/keys.js";
import { startTurn } from "./adjudicate/turn.js";
import { showScripted } from "./shared/page.js";
import { startReading, toggleAid } from "./shared/reading.js";
import { showSpans } from "./shared/spans.js";

const { keymap, spans } = document.getElementById("ruling-room").dataset;

showScripted();
startReading();
showSpans(JSON.parse(spans));
document.getElementById("panes").addEventListener("click", (event) => {
  const button = event.target.closest("[data-aid]");
  if (button) {
    toggleAid(button);
  }
});
startKeys(JSON.parse(keymap));
startTurn();
