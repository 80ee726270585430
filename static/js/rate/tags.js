// Error tags: chosen from the list, placed on the words that are selected in a claim set.
import { announce, replacePart } from "../shared/page.js";
import { post, unexplained } from "../shared/post.js";
import { showSpans } from "../shared/spans.js";
import { changed, field, form, tagsField } from "./form.js";

const place = document.getElementById("tag-place");
const choice = document.getElementById("id_tag");
const WHOLE = place?.textContent;
const tagsOfMarks = JSON.parse(form.dataset.tagsOfMarks);
let span = null;

const points = (text) => [...text].length;

// The stored text is what a claim's elements hold, in order: places are counted in code points.
function offset(claim, node, at) {
  const range = document.createRange();
  range.setStart(claim.querySelector(".claim-text"), 0);
  range.setEnd(node, at);
  return Number(claim.dataset.start) + points(range.toString());
}

function selected() {
  const selection = document.getSelection();
  if (!selection.rangeCount || selection.isCollapsed) {
    return null;
  }
  const range = selection.getRangeAt(0);
  const holder = (node) => (node.nodeType === Node.TEXT_NODE ? node.parentElement : node).closest(".claim-text");
  const [first, last] = [holder(range.startContainer), holder(range.endContainer)];
  const claims = [first, last].map((text) => text?.closest(".claim"));
  if (!claims[0] || !claims[1] || claims[0].dataset.side !== claims[1].dataset.side) {
    return null;
  }
  const words = range.toString();
  const start = offset(claims[0], range.startContainer, range.startOffset) + points(words) - points(words.trimStart());
  const end = offset(claims[1], range.endContainer, range.endOffset) - points(words) + points(words.trimEnd());
  return end > start ? { side: claims[0].dataset.side, start, end, words: words.trim() } : null;
}

function take() {
  const found = selected();
  if (found) {
    span = found;
    const words = found.words.length > 40 ? `${found.words.slice(0, 39)}…` : found.words;
    place.textContent = `for “${words}” in the ${found.side}`;
  }
}

function forget() {
  span = null;
  place.textContent = WHOLE;
}

// Returns whether the list now shows the change.
async function change(wish) {
  try {
    return await ask(wish);
  } catch {
    announce("The server cannot be reached; nothing is lost. Try again in a moment.");
    return false;
  }
}

async function ask(wish) {
  let asked;
  let answer;
  let text;
  // What an undo took back while the server answered must not come back with its answer.
  do {
    answer = await post(form.dataset.tagsUrl, () => {
      asked = field(tagsField).value;
      const data = new FormData(form);
      data.set("tag", wish);
      return data;
    });
    text = await answer.text();
  } while (answer.ok && field(tagsField).value !== asked);
  if (!answer.ok) {
    announce(answer.status === 422 ? text : unexplained(answer));
    return false;
  }
  replacePart("tags", text);
  highlight();
  announce("");
  return true;
}

export const showTags = () => change("show");

async function add() {
  if (!choice.value) {
    choice.focus();
    return;
  }
  const where = span ? ` ${span.side} ${span.start} ${span.end}` : "";
  if (await change(choice.value + where)) {
    choice.value = "";
    forget();
    changed();
  }
}

export function beginTag() {
  take();
  choice?.focus();
}

// A mark is cut where another begins or ends: all its pieces are tagged together.
function piecesOf(mark, kind) {
  const isPiece = (node) => node?.nodeName === "MARK" && node.classList.contains(kind) && node.title === mark.title;
  const ends = [mark, mark];
  for (const [index, side] of ["previousSibling", "nextSibling"].entries()) {
    while (isPiece(ends[index][side])) {
      ends[index] = ends[index][side];
    }
  }
  return ends;
}

// Adds the error of the mark in focus, at its words.
export async function tagMark() {
  const mark = document.activeElement;
  const claim = mark.closest(".claim");
  const kind = mark.matches(".fault") ? "number" : Object.keys(tagsOfMarks).find((name) => mark.classList.contains(name));
  if (!choice) {
    return;
  }
  if (!claim || !kind) {
    announce("No error of the typology goes with this. Go to a mark of another kind first.");
    return;
  }
  let { start, end } = mark.dataset;
  if (kind !== "number") {
    const [first, last] = piecesOf(mark, kind);
    start = offset(claim, first, 0);
    end = offset(claim, last, last.childNodes.length);
  }
  if (await change(`add ${tagsOfMarks[kind]} ${claim.dataset.side} ${start} ${end}`)) {
    changed();
  }
}

const highlight = () => showSpans(JSON.parse(field(tagsField).value || "[]").filter((tag) => "start" in tag));

export function startTags() {
  highlight();
  document.addEventListener("panes-shown", highlight);
  if (!choice) {
    return;
  }
  document.addEventListener("selectionchange", take);
  document.getElementById("add-tag").addEventListener("click", (event) => {
    event.preventDefault();
    add();
  });
  choice.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && choice.value) {
      event.preventDefault();
      add();
    } else if (event.key === "Escape") {
      forget();
    }
  });
  form.addEventListener("click", async (event) => {
    const button = event.target.closest("#tags button[name=tag]");
    if (button) {
      event.preventDefault();
      if (await change(button.value)) {
        choice.focus();
        changed();
      }
    }
  });
}
