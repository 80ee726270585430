// The rate form and what is typed in it.
export const form = document.getElementById("rating-form");
export const scales = [...form.querySelectorAll("fieldset.scale")];
// The server declares the fields: the scores and texts, and the one that holds the error tags.
const names = JSON.parse(form.dataset.fields);
export const tagsField = form.dataset.tagsField;

export const field = (name) => form.elements.namedItem(name);

// What a draft stores, as one comparable text.
export const typed = () => JSON.stringify(Object.fromEntries(names.map((name) => [name, field(name).value])));

// Fills the form with what was typed before; `changed` notifies the modules that listen.
export function fill(values) {
  for (const name of names) {
    const value = values[name] ?? "";
    const control = field(name);
    // No value of a group of radio buttons leaves all of them unchecked.
    if (control instanceof RadioNodeList) {
      control.forEach((radio) => { radio.checked = radio.value === value; });
    } else {
      control.value = value;
    }
  }
  changed();
}

export function changed() {
  scales[0].dispatchEvent(new Event("change", { bubbles: true }));
}
