// The drafts of the rate form.
import { draftsOf } from "../shared/drafts.js";
import { field, fill, form, tagsField, typed } from "./form.js";

export const { settle, mayLeave, settled, startDrafts } = draftsOf({
  form, typed, fill, version: field("draft_version"), hidden: [tagsField],
});
