// The named fields of a form: what is typed in them as one comparable text, and filling them again.
export function fieldsOf(form, names) {
  const field = (name) => form.elements.namedItem(name);
  const typed = () => JSON.stringify(Object.fromEntries(names.map((name) => [name, field(name).value])));

  // Notifies the modules that listen for changes.
  const changed = () => form.querySelector("fieldset").dispatchEvent(new Event("change", { bubbles: true }));

  // Fills the form with what was typed before.
  function fill(values) {
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

  return { field, typed, fill, changed };
}
