// Shows where placed tags are, without touching the text: places are counted in code points.
function rangeOf({ side, start, end }) {
  const range = document.createRange();
  const ends = [];
  for (const claim of document.querySelectorAll(`.claim[data-side="${side}"]`)) {
    let at = Number(claim.dataset.start);
    const walker = document.createTreeWalker(claim.querySelector(".claim-text"), NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const letters = [...walker.currentNode.data];
      for (const [index, wanted] of [start, end].entries()) {
        const inside = index === 0 ? wanted >= at && wanted < at + letters.length : wanted > at && wanted <= at + letters.length;
        if (inside && !ends[index]) {
          ends[index] = [walker.currentNode, letters.slice(0, wanted - at).join("").length];
        }
      }
      at += letters.length;
    }
  }
  if (!ends[0] || !ends[1]) {
    return null;
  }
  range.setStart(...ends[0]);
  range.setEnd(...ends[1]);
  return range;
}

export function showSpans(spans) {
  if (globalThis.Highlight) {
    CSS.highlights.set("tagged", new Highlight(...spans.map(rangeOf).filter(Boolean)));
  }
}
