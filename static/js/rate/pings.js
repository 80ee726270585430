// Tells the server every fifteen seconds that somebody reads: the page has the focus, and was moved,
// scrolled or typed in not long ago. Who only reads is at work too.
import { send } from "../shared/tokens.js";
import { form } from "./form.js";

const EVERY_MS = 15000;
const SOON_MS = 10 * 60000;
const lease = document.getElementById("lease");
// Reads as the server writes it.
const clock = new Intl.DateTimeFormat("en-GB", {
  hour: "2-digit", minute: "2-digit", timeZone: lease?.dataset.timeZone, timeZoneName: "short",
});
const idle = 1000 * Number(form.dataset.idleSeconds);
let activeAt = performance.now();

const isRead = () => document.visibilityState === "visible" && document.hasFocus() && performance.now() - activeAt <= idle;

function showLease(ends) {
  if (!lease || !ends) {
    return;
  }
  lease.dateTime = ends;
  lease.textContent = clock.format(new Date(ends));
}

function warn() {
  const left = lease ? new Date(lease.dateTime) - Date.now() : Infinity;
  lease?.closest(".lease").classList.toggle("is-short", left < SOON_MS);
}

async function ping() {
  warn();
  if (!isRead()) {
    return;
  }
  try {
    const answer = await send(form.dataset.pingUrl);
    if (answer.ok) {
      showLease((await answer.json()).lease_expires_at);
    }
  } catch {
    // A ping that is lost costs some seconds of measured time and nothing else.
  }
}

export function startPings() {
  for (const name of ["keydown", "pointermove", "pointerdown", "wheel", "scroll"]) {
    document.addEventListener(name, () => { activeAt = performance.now(); }, { passive: true, capture: true });
  }
  ping();
  setInterval(ping, EVERY_MS);
}
