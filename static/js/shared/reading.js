// The claim sets: fold, walk through differences, keep the place when an aid is switched.
import { quietButton, replacePart } from "./page.js";

const DIFFERENCES = ".limitation:is(.is-missing, .is-added, .is-narrowed, .is-broadened, .is-changed)";
const SCROLLERS = ["reading", "reference", "candidate"];
const panes = () => document.getElementById("panes");
const scroller = (name) => document.getElementById("reading") ?? document.getElementById(name);
let current = null;

function fold(claim, isFolded) {
  claim.classList.toggle("is-folded", isFolded);
  const button = claim.querySelector(".fold");
  button.setAttribute("aria-expanded", String(!isFolded));
  button.textContent = isFolded ? "+" : "−";
}

function addFolds() {
  for (const claim of panes().querySelectorAll(".claim")) {
    const button = quietButton("", () => fold(claim, !claim.classList.contains("is-folded")));
    button.classList.add("fold");
    button.setAttribute("aria-label", `Fold ${claim.querySelector("h3").textContent.trim()}`);
    claim.querySelector(".claim-gutter").append(button);
    fold(claim, false);
  }
}

export function foldDependents() {
  const claims = [...panes().querySelectorAll(".claim[data-dependent]")];
  const isOpen = claims.some((claim) => !claim.classList.contains("is-folded"));
  claims.forEach((claim) => fold(claim, isOpen));
}

export function scrollPane(name, step) {
  const pane = scroller(name);
  pane.scrollBy({ top: step * pane.clientHeight * 0.8 });
}

export function goToDifference(step) {
  const found = [...panes().querySelectorAll(DIFFERENCES)];
  if (!found.length) {
    return;
  }
  const at = found.indexOf(current);
  const from = at < 0 ? (step > 0 ? -1 : 0) : at;
  current?.classList.remove("is-current");
  current = found[(from + step + found.length) % found.length];
  current.classList.add("is-current");
  current.scrollIntoView({ block: "center" });
}

// A finding names a place in a text; the claim that holds it is shown.
function goToPlace(side, place) {
  const claims = [...panes().querySelectorAll(`.claim[data-side="${side}"]`)];
  const claim = claims.filter((entry) => Number(entry.dataset.start) <= place).at(-1);
  claim?.scrollIntoView({ block: "center" });
}

export function toggleAid(button) {
  const isOn = panes().classList.toggle(`shows-${button.dataset.aid}`);
  button.setAttribute("aria-pressed", String(isOn));
  return isOn;
}

// Puts the claim sets as the server sends them in the place of those that are shown.
export function showPanes(html) {
  const folded = [...panes().querySelectorAll(".claim.is-folded")].map((claim) => claim.id);
  const tops = SCROLLERS.map((id) => document.getElementById(id)?.scrollTop);
  replacePart("panes", html);
  addFolds();
  folded.forEach((id) => fold(document.getElementById(id), true));
  current = null;
  SCROLLERS.forEach((id, index) => document.getElementById(id)?.scrollTo({ top: tops[index] ?? 0 }));
  document.dispatchEvent(new Event("panes-shown"));
}

export function startReading() {
  addFolds();
  document.addEventListener("click", (event) => {
    const link = event.target.closest("[data-place]");
    if (link) {
      event.preventDefault();
      const [side, place] = link.dataset.place.split(" ");
      goToPlace(side, Number(place));
    }
  });
}
