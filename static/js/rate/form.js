// The rate form and what is typed in it.
export const form = document.getElementById("rating-form");
export const scales = [...form.querySelectorAll("fieldset.scale")];
const names = [...scales.map((scale) => scale.querySelector("input").name), "comment", "note", "error_tags"];

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
