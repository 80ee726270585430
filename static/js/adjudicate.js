// The adjudication screen: keys, aids, tagged words, a turn that lasts. The form works without them.
import { startKeys } from "./adjudicate/keys.js";
import { startTurn } from "./adjudicate/turn.js";
import { startAids } from "./shared/aids.js";
import { startContext } from "./shared/context.js";
import { showScripted } from "./shared/page.js";
import { startReading } from "./shared/reading.js";
import { showSpans } from "./shared/spans.js";
import { startTools } from "./shared/tools.js";

const { keymap, spans } = document.getElementById("ruling-room").dataset;
const show = () => showSpans(JSON.parse(spans));

showScripted();
startReading();
startAids();
startTools();
startContext();
show();
document.addEventListener("panes-shown", show);
startKeys(JSON.parse(keymap));
startTurn();
