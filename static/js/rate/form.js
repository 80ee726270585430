// The rate form and what is typed in it.
import { fieldsOf } from "../shared/fields.js";

export const form = document.getElementById("rating-form");
export const scales = [...form.querySelectorAll("fieldset.scale")];
// The server declares the fields: the scores and texts, and the one that holds the error tags.
const names = JSON.parse(form.dataset.fields);
export const tagsField = form.dataset.tagsField;

export const { field, typed, fill, changed } = fieldsOf(form, names);
