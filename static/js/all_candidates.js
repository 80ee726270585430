// The page of all candidates: keys, aids, ways to find. Each claim is a link that works without them.
import { startAids } from "./shared/aids.js";
import { listenForKeys } from "./shared/keys.js";
import { showScripted } from "./shared/page.js";
import { startReading } from "./shared/reading.js";
import { startTools } from "./shared/tools.js";

const { keys } = JSON.parse(document.getElementById("aids-form").dataset.keymap);

function typing(event) {
  if (event.key === "Escape") {
    event.target.blur();
  }
}

showScripted();
startReading();
startAids();
startTools();
listenForKeys(keys, {}, { digit: () => false, typing });
