// The rate form and what is typed in it.
import { chosen } from "../shared/radios.js";

export const form = document.getElementById("rating-form");
export const scales = [...form.querySelectorAll("fieldset.scale")];
const FIELDS = ["comment", "note", "error_tags"];

export const field = (name) => form.elements.namedItem(name);

// What a draft keeps, as one comparable text.
export function typed() {
  const scores = scales.map((scale) => chosen(scale)?.value ?? "");
  return JSON.stringify([...scores, ...FIELDS.map((name) => field(name).value)]);
}

// Puts what was typed before back; `changed` tells the modules that listen.
export function retype(text) {
  const values = JSON.parse(text);
  scales.forEach((scale, index) => {
    scale.querySelectorAll("input").forEach((radio) => { radio.checked = radio.value === values[index]; });
  });
  FIELDS.forEach((name, index) => { field(name).value = values[scales.length + index]; });
  changed();
}

export function changed() {
  scales[0].dispatchEvent(new Event("change", { bubbles: true }));
}
