// The compare screen: keys, aids and submit. The form itself works without any of them.
import { startAids } from "./compare/aids.js";
import { startKeys } from "./compare/keys.js";
import { startSubmit } from "./compare/submit.js";
import { startReading } from "./shared/reading.js";

document.querySelectorAll("[data-scripted]").forEach((element) => { element.hidden = false; });
startReading();
startAids();
startSubmit();
startKeys();
