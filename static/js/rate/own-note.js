// Stores the own note on the reference by itself, a moment after the last key.
import { announce } from "../shared/page.js";
import { post } from "../shared/post.js";
import { field, form } from "./form.js";

const QUIET_MS = 600;
const AGAIN_MS = 5000;
const box = document.getElementById("id_own_note");
const state = document.getElementById("own-note-state");
let stored = box?.value;
let timer = 0;
let saving = null;

const isNews = () => box && box.value !== stored;
const clock = (date) => date.toLocaleTimeString("en-GB");

async function save(more) {
  const sent = box.value;
  const body = () => ({ own_note: sent, note_version: field("note_version").value });
  let answer;
  try {
    answer = await post(state.dataset.url, body, more);
  } catch {
    announce("⚠ Not saved: the server cannot be reached. Retrying.", state);
    later(AGAIN_MS);
    return false;
  }
  const row = answer.ok || [409, 422].includes(answer.status) ? await answer.json() : {};
  if ("version" in row) {
    field("note_version").value = row.version;
  }
  if (answer.ok) {
    stored = sent;
    announce(row.saved_at ? `✓ Saved ${clock(new Date(row.saved_at))}` : "", state);
    return true;
  }
  const there = row.text === undefined ? "" : ` Stored there: “${row.text}”. Typing on here replaces it.`;
  announce(`⚠ ${row.sentence ?? `Not saved: the server answered ${answer.status}.`}${there}`, state);
  return false;
}

function run(more = {}) {
  saving ??= save(more).finally(() => { saving = null; });
  return saving;
}

function later(wait) {
  clearTimeout(timer);
  timer = setTimeout(() => { if (isNews()) { run(); } }, wait);
}

// Waits until no note is on its way, so that what is sent next has its last version.
export async function settleNote() {
  clearTimeout(timer);
  await saving;
}

export function startOwnNote() {
  box?.addEventListener("input", () => later(QUIET_MS));
  box?.addEventListener("change", () => later(0));
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "hidden" && isNews()) {
      run({ keepalive: true });
    }
  });
}
