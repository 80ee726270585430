// Stores what is typed as a draft: sent a moment after the last key, tried again until the server has it.
import { announce, quietButton } from "./page.js";
import { post } from "./post.js";

const QUIET_MS = 350;
const LONGEST_PAUSE_MS = 8000;

// `form` has the address of its drafts in `data-draft-url`, `version` is the field with the version
// of the draft that the page shows, and `hidden` are fields whose values say nothing to a reader.
export function draftsOf({ form, typed, fill, version, hidden = [] }) {
  const url = form.dataset.draftUrl;
  const state = document.getElementById("draft-state");

  function showState(text, isFailure = false) {
    state.classList.toggle("is-failure", isFailure);
    announce(text, state);
  }

  const clash = document.getElementById("draft-clash");
  // A page that shows what was refused holds what the server has not stored.
  let stored = "unkept" in form.dataset ? "" : typed();
  let timer = 0;
  let pause = 500;
  let saving = null;
  let isSettled = false;

  const isNews = () => url && !isSettled && typed() !== stored;

  const clock = (date) => date.toLocaleTimeString("en-GB");

  // Returns whether the server took what was sent.
  async function save(more = {}) {
    const sent = typed();
    try {
      const answer = await post(url, () => new FormData(form), more);
      if (answer.ok) {
        const row = await answer.json();
        version.value = row.version;
        stored = sent;
        pause = 500;
        clash.hidden = true;
        showState(`✓ Draft saved ${clock(new Date(row.saved_at))}`);
      } else if (answer.status === 409) {
        showClash(await answer.json());
        return false;
      } else if (answer.status === 422) {
        showState((await answer.json()).sentence, true);
        return false;
      } else {
        throw new Error(answer.status);
      }
    } catch {
      showState("⚠ Draft not saved: the server cannot be reached. Retrying; leave this page open.", true);
      later(pause);
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
      return false;
    }
    storeSoon();
    return true;
  }

  function run(more) {
    saving ??= save(more).finally(() => { saving = null; });
    return saving;
  }

  function later(wait) {
    clearTimeout(timer);
    timer = setTimeout(() => { if (isNews()) { run(); } }, wait);
  }

  function storeSoon() {
    if (isNews()) {
      later(QUIET_MS);
    }
  }

  // Both texts stand there; which one stays is a choice made with both in view.
  function showClash(answer) {
    const lines = [answer.sentence];
    const other = answer.typed;
    if (other) {
      const said = Object.entries(other).filter(([name, value]) => value && !hidden.includes(name));
      lines.push(`There: ${said.map(([name, value]) => `${name.replaceAll("_", " ")} “${value}”`).join(", ") || "nothing"}.`);
      lines.push("What you typed here is still in the form.");
    }
    clash.replaceChildren(...lines.map((line) => Object.assign(document.createElement("p"), { textContent: line })));
    if (other) {
      clash.append(
        quietButton("Keep what is here", () => {
          version.value = answer.version;
          run();
        }),
        quietButton("Take what is there", () => {
          version.value = answer.version;
          fill(other);
          stored = typed();
          clash.hidden = true;
        }),
      );
    } else {
      // The draft is gone because another tab submitted: a submit here is answered with both.
      clash.append(quietButton("Show both", () => form.requestSubmit()));
    }
    clash.hidden = false;
  }

  // Waits until nothing is on its way, so that a submit carries the draft's last version.
  async function settle() {
    clearTimeout(timer);
    while (saving) {
      await saving;
    }
  }

  // Stores what is typed at once; returns whether the server has all of it or need not have it.
  async function mayLeave(button) {
    if ("forgets" in button.dataset) {
      return true;
    }
    await settle();
    while (isNews()) {
      if (!(await run())) {
        return false;
      }
    }
    return true;
  }

  // After a submit nothing is left to store.
  function settled() {
    isSettled = true;
    clearTimeout(timer);
  }

  function startDrafts() {
    if (!url) {
      return;
    }
    storeSoon();
    form.addEventListener("input", storeSoon);
    form.addEventListener("change", storeSoon);
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "hidden" && isNews()) {
        run({ keepalive: true });
      }
    });
    window.addEventListener("beforeunload", (event) => {
      if (isNews()) {
        event.preventDefault();
      }
    });
  }

  return { settle, mayLeave, settled, startDrafts };
}
