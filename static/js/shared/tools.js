// Ways through long claim sets: go to a claim, find a term in all texts, fold, size of the text.
import { goToClaim } from "./minimap.js";
import { foldAll, foldEqual, showWhole } from "./reading.js";

const NORMAL = "text-normal";
const SIZES = ["text-small", NORMAL, "text-large", "text-larger"];
const STORED = "text-size";
const tools = document.getElementById("tools");
const [number, term] = tools.querySelectorAll("input");
const [reached, counts] = tools.querySelectorAll("output");
let ranges = [];
let at = -1;

function rangesIn(claim, pattern) {
  const nodes = [];
  let whole = "";
  const walker = document.createTreeWalker(claim.querySelector(".claim-text"), NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    if (!walker.currentNode.parentElement.closest(".claim-marker")) {
      nodes.push([walker.currentNode, whole.length]);
      whole += walker.currentNode.data;
    }
  }
  const place = (offset) => {
    const [node, start] = nodes.findLast((entry) => entry[1] <= offset);
    return [node, offset - start];
  };
  return [...whole.matchAll(pattern)].map(({ 0: words, index }) => {
    const range = new Range();
    const [last, end] = place(index + words.length - 1);
    range.setStart(...place(index));
    range.setEnd(last, end + 1);
    return range;
  });
}

function find() {
  const parts = term.value.trim().split(/\s+/u).map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|/-]/gu, "\\$&"));
  const pattern = parts[0] ? new RegExp(parts.join("\\s+"), "gi") : null;
  const claims = pattern ? [...document.querySelectorAll("#panes .claim")] : [];
  const found = claims.map((claim) => [claim.dataset.side, rangesIn(claim, pattern)]);
  const sides = [...new Set(claims.map((claim) => claim.dataset.side))];
  const on = (side) => found.filter((entry) => entry[0] === side).flatMap((entry) => entry[1]).length;
  const name = (side) => document.getElementById(`${side}-heading`).firstChild.textContent.trim();
  ranges = found.flatMap((entry) => entry[1]);
  at = -1;
  counts.textContent = sides.map((side) => `${name(side)}: ${on(side)}`).join(", ");
  if (globalThis.Highlight) {
    CSS.highlights.set("found", new Highlight(...ranges));
  }
}

function step(by) {
  if (ranges.length) {
    at = (at + by + (at < 0 && by < 0 ? 1 : 0) + ranges.length) % ranges.length;
    showWhole(ranges[at].startContainer.parentElement);
  }
}

function go() {
  const wanted = number.value.trim();
  reached.textContent = !wanted || goToClaim(wanted) ? "" : `no claim ${wanted}`;
}

function show(size) {
  const { classList } = document.getElementById("main");
  classList.remove(...SIZES);
  classList.add(SIZES.includes(size) ? size : NORMAL);
}

function resize(by) {
  const now = SIZES.findIndex((size) => document.getElementById("main").classList.contains(size));
  const size = SIZES[Math.min(Math.max(now + by, 0), SIZES.length - 1)];
  show(size);
  localStorage.setItem(STORED, size);
}

function open(field) {
  tools.open = true;
  field.focus();
  field.select();
}

export const toolActions = {
  "fold-all": foldAll,
  "fold-equal": foldEqual,
  "go-to-claim": () => open(number),
  find: () => open(term),
};

// Returns whether the key was meant for a field of the tools.
export function typedInTools(event) {
  if (event.target === term && event.key === "Enter") {
    step(event.shiftKey ? -1 : 1);
  }
  return tools.contains(event.target) && event.key !== "Escape";
}

export function startTools() {
  show(localStorage.getItem(STORED));
  // In a form of its own it leads to another page, once it is sent.
  if (!number.form) {
    number.addEventListener("input", go);
  }
  term.addEventListener("input", find);
  document.addEventListener("panes-shown", find);
  tools.addEventListener("click", ({ target }) => {
    const { action, by } = target.closest("button")?.dataset ?? {};
    if (by) {
      resize(Number(by));
    }
    toolActions[action]?.();
  });
}
