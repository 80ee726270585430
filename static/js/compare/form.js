// The compare form and its questions.
export const form = document.getElementById("compare-form");
export const questions = [...form.querySelectorAll("fieldset.question-row")];
