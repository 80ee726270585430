// Draws a plot's SVG file on a canvas and saves the picture: twice as large, for print and slides.
import { announce } from "./shared/page.js";

const LARGER = 2;

async function picture(address) {
  const image = new Image();
  image.src = address;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = image.naturalWidth * LARGER;
  canvas.height = image.naturalHeight * LARGER;
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-picture]");
  if (!button) {
    return;
  }
  const link = document.createElement("a");
  try {
    link.href = URL.createObjectURL(await picture(button.dataset.picture));
  } catch {
    announce("The picture could not be drawn. Save the plot as SVG, or load the page again.");
    return;
  }
  link.download = button.dataset.name;
  link.click();
  URL.revokeObjectURL(link.href);
});
