// The rate screen: each behaviour in its own module. The form itself works without any of them.
import { mayLeave, settle, settled, startDrafts } from "./rate/drafts.js";
import { changed, form } from "./rate/form.js";
import { startKeys } from "./rate/keys.js";
import { settleNote, startOwnNote } from "./rate/own-note.js";
import { startPings } from "./rate/pings.js";
import { startTags } from "./rate/tags.js";
import { startUndo } from "./rate/undo.js";
import { startAids } from "./shared/aids.js";
import { startContext } from "./shared/context.js";
import { showScripted } from "./shared/page.js";
import { startReading } from "./shared/reading.js";
import { startSubmit } from "./shared/submit.js";
import { startTools } from "./shared/tools.js";

showScripted();
startReading();
startAids();
startTags();
startTools();
startContext();
startDrafts();
startUndo();
startOwnNote();
startSubmit(form, {
  settle: () => Promise.all([settle(), settleNote()]),
  settled,
  mayLeave: async (button) => {
    await settleNote();
    return mayLeave(button);
  },
});
startPings();
startKeys();
// What was refused for want of a session or a token is asked for again.
document.addEventListener("token-renewed", changed);
// A page that the browser had put aside knows neither what is stored now nor its token.
window.addEventListener("pageshow", (event) => { if (event.persisted) { location.reload(); } });
