// The page of a reference's context: drawings are zoomed by key. It works without this.
import { showScripted } from "./shared/page.js";
import { startZoom } from "./shared/zoom.js";

showScripted();
startZoom(document.getElementById("context"));
