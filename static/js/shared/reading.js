// The claim sets: fold, walk through differences, keep the place when an aid is switched.
import { markClaim, placesOf, startMinimap, takeUpCells } from "./minimap.js";
import { quietButton, replacePart } from "./page.js";

const DIFFERENCES = ".limitation[data-note]";
const MARKS = ".shows-marks .claim mark:is(.foreign, .no-antecedent, .preamble, .sign, .broken), .shows-marks.shows-less-certain .claim mark:is(.likely-basis, .renamed, .misread), .claim mark.invisible, .shows-marks .claim .fault[data-start]";
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

// Folds the claims, or unfolds them where all are folded.
function foldEach(claims) {
  const isOpen = claims.some((claim) => !claim.classList.contains("is-folded"));
  claims.forEach((claim) => fold(claim, isOpen));
}

export const foldDependents = () => foldEach([...panes().querySelectorAll(".claim[data-dependent]")]);
export const foldAll = () => foldEach([...panes().querySelectorAll(".claim")]);

// What the minimap shows as matched or only moved; what is left open are the changes.
export function foldEqual() {
  const cells = [...panes().querySelectorAll(".minimap :is(.state-matched, .state-moved)")];
  foldEach(cells.flatMap(placesOf).map((id) => document.getElementById(id)));
}

export function scrollPane(name, step) {
  const pane = scroller(name);
  pane.scrollBy({ top: step * pane.clientHeight * 0.8 });
}

export function showWhole(element) {
  fold(element.closest(".claim"), false);
  element.scrollIntoView({ block: "center" });
}

// The next one from where the last walk ended, whatever it walked through; round at the ends.
function walk(selector, step) {
  const found = [...panes().querySelectorAll(selector)];
  const lies = (one, where) => Boolean(current && current.compareDocumentPosition(one) & where);
  const next = step > 0
    ? found.find((one) => lies(one, Node.DOCUMENT_POSITION_FOLLOWING)) ?? found[0]
    : found.findLast((one) => lies(one, Node.DOCUMENT_POSITION_PRECEDING)) ?? found.at(-1);
  if (next) {
    current?.classList.remove("is-current");
    current = next;
    current.classList.add("is-current");
    showWhole(current);
    markClaim(current.closest(".claim"));
  }
}

export const goToDifference = (step) => walk(DIFFERENCES, step);
// A mark takes the focus, so that it is read out and a key can tag it; it is no stop for Tab.
export function goToMark(step) {
  walk(MARKS, step);
  if (current?.matches(MARKS)) {
    current.tabIndex = -1;
    current.focus({ preventScroll: true });
  }
}

// A finding names a place in a text; the claim that holds it is shown.
function goToPlace(side, place) {
  const claims = [...panes().querySelectorAll(`.claim[data-side="${side}"]`)];
  const claim = claims.filter((entry) => Number(entry.dataset.start) <= place).at(-1);
  if (claim) {
    claim.scrollIntoView({ block: "center" });
    markClaim(claim);
  }
}

// Puts the claim sets as the server sends them in the place of those that are shown.
export function showPanes(html) {
  const folded = [...panes().querySelectorAll(".claim.is-folded")].map((claim) => claim.id);
  const tops = SCROLLERS.map((id) => document.getElementById(id)?.scrollTop);
  const boxes = [...panes().querySelectorAll(".aids input")];
  replacePart("panes", html);
  boxes.forEach(({ id, checked }) => { document.getElementById(id).checked = checked; });
  addFolds();
  folded.forEach((id) => fold(document.getElementById(id), true));
  current = null;
  SCROLLERS.forEach((id, index) => document.getElementById(id)?.scrollTo({ top: tops[index] ?? 0 }));
  takeUpCells();
  document.dispatchEvent(new Event("panes-shown"));
}

export function startReading() {
  addFolds();
  startMinimap();
  document.addEventListener("click", (event) => {
    const link = event.target.closest("[data-place]");
    if (link) {
      event.preventDefault();
      const [side, place] = link.dataset.place.split(" ");
      goToPlace(side, Number(place));
    }
  });
}
