// One item of a report: its claim sets with keys and aids. The page works without any of them.
import { form } from "./compare/form.js";
import { startAids } from "./shared/aids.js";
import { startContext } from "./shared/context.js";
import { listenForKeys } from "./shared/keys.js";
import { showScripted } from "./shared/page.js";
import { startReading } from "./shared/reading.js";
import { startTools } from "./shared/tools.js";

showScripted();
startReading();
startAids();
startTools();
startContext();
listenForKeys(JSON.parse(form.dataset.keymap).keys, {}, { digit: () => false, typing: () => {} });
