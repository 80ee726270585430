// The rate screen: each behaviour in its own module. The form itself works without any of them.
import { startDrafts } from "./rate/drafts.js";
import { startKeys } from "./rate/keys.js";
import { startPings } from "./rate/pings.js";
import { startReading } from "./rate/reading.js";
import { startSubmit } from "./rate/submit.js";
import { startTags } from "./rate/tags.js";
import { startUndo } from "./rate/undo.js";

document.querySelectorAll("[data-scripted]").forEach((element) => { element.hidden = false; });
document.querySelectorAll("[data-unscripted]").forEach((element) => { element.hidden = true; });
startReading();
startTags();
startDrafts();
startUndo();
startSubmit();
startPings();
startKeys();
