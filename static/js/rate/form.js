// The rate form and what is typed in it.
import { fieldsOf } from "../shared/fields.js";

export const form = document.getElementById("rating-form");
export const scales = [...form.querySelectorAll("fieldset.scale")];
const names = [...scales.map((scale) => scale.querySelector("input").name), "comment", "note", "error_tags"];

export const { field, typed, fill, changed } = fieldsOf(form, names);
