// A drawing is made larger and smaller, by buttons and, while it has the focus, by keys.
const SIZES = ["size-fit", "size-2", "size-3", "size-4", "size-6"];
const KEYS = new Map([["+", 1], ["=", 1], ["-", -1], ["0", 0]]);

function zoom(sheet, by) {
  const now = Math.max(SIZES.findIndex((size) => sheet.classList.contains(size)), 0);
  const next = by ? Math.min(Math.max(now + by, 0), SIZES.length - 1) : 0;
  sheet.classList.remove(...SIZES);
  sheet.classList.add(SIZES[next]);
}

export function startZoom(pane) {
  const sheet = () => pane.querySelector(".sheet");
  pane.addEventListener("keydown", (event) => {
    const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey;
    if (isPlain && KEYS.has(event.key) && event.target.closest(".sheet, .zoom")) {
      zoom(sheet(), KEYS.get(event.key));
      event.preventDefault();
      // A digit would be a score.
      event.stopPropagation();
    }
  });
  pane.addEventListener("click", ({ target }) => {
    const { zoom: by } = target.closest("button")?.dataset ?? {};
    if (by) {
      zoom(sheet(), Number(by));
    }
  });
}
