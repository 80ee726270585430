// The page of a reference's context: drawings are zoomed by key. It works without this.
import { startContext } from "./shared/context.js";
import { showScripted } from "./shared/page.js";

showScripted();
startContext();
