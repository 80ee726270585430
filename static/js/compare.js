// The compare screen: keys, aids and submit. The form itself works without any of them.
import { startAids } from "./compare/aids.js";
import { form } from "./compare/form.js";
import { startKeys } from "./compare/keys.js";
import { showScripted } from "./shared/page.js";
import { startReading } from "./shared/reading.js";
import { startSubmit } from "./shared/submit.js";

showScripted();
startReading();
startAids();
startSubmit(form);
startKeys();
