// The compare screen: keys, aids, drafts and submit. The form itself works without any of them.
import { form } from "./compare/form.js";
import { startKeys } from "./compare/keys.js";
import { startAids } from "./shared/aids.js";
import { startContext } from "./shared/context.js";
import { draftsOf } from "./shared/drafts.js";
import { fieldsOf } from "./shared/fields.js";
import { showScripted } from "./shared/page.js";
import { startReading } from "./shared/reading.js";
import { startSubmit } from "./shared/submit.js";
import { startTools } from "./shared/tools.js";

showScripted();
startReading();
startAids();
startTools();
startContext();
const { field, typed, fill } = fieldsOf(form, form.dataset.fields.split(" "));
const drafts = draftsOf({ form, typed, fill, version: field("typed_version") });
drafts.startDrafts();
startSubmit(form, drafts);
startKeys();
// A page that the browser had put aside knows neither what is stored now nor its token.
window.addEventListener("pageshow", (event) => { if (event.persisted) { location.reload(); } });
