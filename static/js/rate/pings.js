// Tells the server that somebody is at work, at most every fifteen seconds and never while idle.
import { send } from "../shared/tokens.js";
import { form } from "./form.js";

const EVERY_MS = 15000;
const SOON_MS = 10 * 60000;
const lease = document.getElementById("lease");
let isActive = true;

function showLease(ends) {
  if (!lease || !ends) {
    return;
  }
  lease.dateTime = ends;
  lease.textContent = ends.slice(11, 16);
}

function warn() {
  const left = lease ? new Date(lease.dateTime) - Date.now() : Infinity;
  lease?.closest(".lease").classList.toggle("is-short", left < SOON_MS);
}

async function ping() {
  warn();
  if (!isActive || document.visibilityState !== "visible") {
    return;
  }
  isActive = false;
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
  for (const name of ["keydown", "pointermove", "pointerdown", "wheel"]) {
    document.addEventListener(name, () => { isActive = true; }, { passive: true });
  }
  document.addEventListener("scroll", () => { isActive = true; }, { passive: true, capture: true });
  ping();
  setInterval(ping, EVERY_MS);
}
