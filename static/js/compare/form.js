// The compare form, its questions, and what is typed in it.
import { fieldsOf } from "../shared/fields.js";

export const form = document.getElementById("compare-form");
export const questions = [...form.querySelectorAll("fieldset.question-row")];
export const { field, typed, fill } = fieldsOf(form, form.dataset.fields.split(" "));
