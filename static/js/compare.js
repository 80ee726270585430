// The compare screen: keys, aids and submit. The form itself works without any of them.
import { startAids } from "./compare/aids.js";
import { startKeys } from "./compare/keys.js";
import { startSubmit } from "./compare/submit.js";
import { showScripted } from "./shared/page.js";
import { startReading } from "./shared/reading.js";

showScripted();
startReading();
startAids();
startSubmit();
startKeys();
