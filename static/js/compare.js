// The compare screen: keys, aids and submit. The form itself works without any of them.
import { form } from "./compare/form.js";
import { startKeys } from "./compare/keys.js";
import { startAids } from "./shared/aids.js";
import { startContext } from "./shared/context.js";
import { showScripted } from "./shared/page.js";
import { startReading } from "./shared/reading.js";
import { startSubmit } from "./shared/submit.js";
import { startTools } from "./shared/tools.js";

showScripted();
startReading();
startAids();
startTools();
startContext();
startSubmit(form);
startKeys();
