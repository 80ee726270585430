// The compare form and its questions. Pages that show candidates beside each other have a form of the
// same name, without a question.
export const form = document.getElementById("compare-form");
export const questions = [...form.querySelectorAll("fieldset.question-row")];
