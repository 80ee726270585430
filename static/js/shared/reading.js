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

// Shows both claims of a cell of the minimap: in rows they stand side by side, else each in its pane.
function goToCell(cell) {
  panes().querySelector(".minimap [aria-current]")?.removeAttribute("aria-current");
  cell.setAttribute("aria-current", "true");
  cell.scrollIntoView({ block: "nearest" });
  for (const id of cell.dataset.places.split(" ").reverse()) {
    document.getElementById(id).scrollIntoView({ block: "start" });
  }
}

// One stop for Tab, whatever the size of the set; the arrows go from cell to cell.
function walkCells(event) {
  const cells = [...panes().querySelectorAll(".minimap a")];
  const at = cells.indexOf(event.target);
  const next = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: cells.length - 1 }[event.key];
  if (at >= 0 && cells[next]) {
    event.preventDefault();
    cells[at].tabIndex = -1;
    cells[next].tabIndex = 0;
    cells[next].focus();
    goToCell(cells[next]);
  }
}

const leaveOneStop = () => panes().querySelectorAll(".minimap li + li a").forEach((cell) => { cell.tabIndex = -1; });

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
  leaveOneStop();
  folded.forEach((id) => fold(document.getElementById(id), true));
  current = null;
  SCROLLERS.forEach((id, index) => document.getElementById(id)?.scrollTo({ top: tops[index] ?? 0 }));
  document.dispatchEvent(new Event("panes-shown"));
}

export function startReading() {
  addFolds();
  leaveOneStop();
  document.addEventListener("keydown", walkCells);
  document.addEventListener("click", (event) => {
    const cell = event.target.closest(".minimap a");
    if (cell) {
      event.preventDefault();
      goToCell(cell);
    }
    const link = event.target.closest("[data-place]");
    if (link) {
      event.preventDefault();
      const [side, place] = link.dataset.place.split(" ");
      goToPlace(side, Number(place));
    }
  });
}
