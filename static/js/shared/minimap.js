// The minimap: one cell a claim. A cell leads to its claims, and the cell of what is read is marked.
const BELOW_THE_HEADS = 4;
const panes = () => document.getElementById("panes");
const cells = () => [...panes().querySelectorAll(".minimap a")];
const scrollers = () => panes().querySelectorAll(".reading, .pane");
// Where a jump has left each pane: from there its cell stays marked, wherever the claim came to lie.
const left = new WeakMap();
let byClaim = new Map();
let marked = "";
let isDue = false;

export const placesOf = (cell) => cell.dataset.places?.split(" ") ?? [];

// The map alone is scrolled: a page that begins above it stays where it is.
function reveal(cell) {
  const map = cell.closest("ol");
  const [outer, inner] = [map, cell].map((one) => one.getBoundingClientRect());
  map.scrollTop += Math.min(0, inner.top - outer.top) + Math.max(0, inner.bottom - outer.bottom);
}

function mark(cell) {
  cell.closest("ol").querySelector("[aria-current]")?.removeAttribute("aria-current");
  cell.setAttribute("aria-current", "true");
  marked = cell.hash;
  reveal(cell);
}

function stay() {
  scrollers().forEach((pane) => left.set(pane, pane.scrollTop));
}

// Marks the cell of a claim that was gone to by another way.
export function markClaim(claim) {
  const cell = byClaim.get(claim.id);
  if (cell) {
    mark(cell);
    stay();
  }
}

// Shows all claims of a cell: in rows they stand side by side, else each in its pane.
function goToCell(cell) {
  for (const id of placesOf(cell).reverse()) {
    const claim = document.getElementById(id);
    (claim.closest(".row") ?? claim).scrollIntoView({ block: "start" });
  }
  markClaim(document.getElementById(placesOf(cell)[0]));
}

// By the reference's number, else by a candidate's; returns whether there is such a claim.
export function goToClaim(number) {
  const found = cells().filter((cell) => cell.dataset.number === number);
  const cell = found.find((one) => one.dataset.places?.includes("reference-")) ?? found[0];
  if (cell) {
    goToCell(cell);
  }
  return Boolean(cell);
}

// One stop for Tab, whatever the size of the set; the arrows go from cell to cell.
function walkCells(event) {
  const all = cells();
  const at = all.indexOf(event.target);
  const next = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: all.length - 1 }[event.key];
  if (at >= 0 && all[next]) {
    event.preventDefault();
    all[at].tabIndex = -1;
    all[next].tabIndex = 0;
    all[next].focus();
    if (all[next].dataset.places) {
      goToCell(all[next]);
    }
  }
}

// The claim that is read is the first whose text reaches below the heads.
function follow(pane) {
  if (left.get(pane) === pane.scrollTop) {
    return;
  }
  left.delete(pane);
  const head = pane.querySelector(".row.heads, .pane-head").getBoundingClientRect().bottom;
  const line = Math.max(pane.getBoundingClientRect().top, head) + BELOW_THE_HEADS;
  const claim = [...pane.querySelectorAll(".claim")].find((one) => one.getBoundingClientRect().bottom > line);
  const cell = byClaim.get(claim?.id);
  if (cell) {
    mark(cell);
  }
}

function scrolled({ target }) {
  if (!isDue && byClaim.size && target.matches?.(".reading, .pane")) {
    isDue = true;
    requestAnimationFrame(() => {
      isDue = false;
      if (target.isConnected) {
        follow(target);
      }
    });
  }
}

// Takes up the cells that the page has now: one stop for Tab, and the mark where it was.
export function takeUpCells() {
  const all = cells();
  byClaim = new Map(all.flatMap((cell) => placesOf(cell).map((id) => [id, cell])));
  const shown = all.find((cell) => cell.hasAttribute("aria-current"));
  if (shown) {
    reveal(shown);
  }
  const stop = shown ?? all[0];
  all.forEach((cell) => { cell.tabIndex = cell === stop ? 0 : -1; });
  const before = all.find((cell) => cell.dataset.places && cell.hash === marked);
  if (before) {
    mark(before);
    stay();
  } else if (byClaim.size) {
    scrollers().forEach(follow);
  }
}

export function startMinimap() {
  takeUpCells();
  document.addEventListener("keydown", walkCells);
  document.addEventListener("scroll", scrolled, { capture: true, passive: true });
  document.addEventListener("click", (event) => {
    const cell = event.target.closest(".minimap a");
    if (cell?.dataset.places) {
      event.preventDefault();
      goToCell(cell);
    }
  });
}
