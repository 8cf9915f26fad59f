// The file of studies that was opened last: its `name`, and its `studies`, each with its title, its line, the `errors` of
// its moves, and its entries. What is changed in the study that is shown is changed here too, and the browser keeps all
// of it, with what its positions are worth, until the window is closed.

import { fromStudy } from "./game.js";
import { keepForFile, valuesOf } from "./values.js";

// The name under which the browser keeps the file.
const KEPT = "lasca file";

export let file = kept() ?? { id: null, name: null, studies: [] };

function kept() {
  try {
    const { values, ...file } = JSON.parse(sessionStorage.getItem(KEPT));
    keepForFile(values);
    return file;
  } catch {
    // The browser keeps nothing.
    return null;
  }
}

addEventListener("pagehide", () => {
  try {
    sessionStorage.removeItem(KEPT);
    const values = valuesOf(file.studies.flatMap(({ entries }) => entries));
    sessionStorage.setItem(KEPT, JSON.stringify({ ...file, values }));
  } catch {
    // As above, or the file is too long.
  }
});

// Takes over the studies of a file, as the source has read them.
export function open(name, studies) {
  const id = Math.random();
  const entriesOf = (study, at) => fromStudy(study, { file: id, at });
  file = { id, name, studies: studies.map((study, at) => ({ title: study.title, line: study.line, errors: study.errors, entries: entriesOf(study, at) })) };
}

// The study of the file that begins with this entry, or undefined.
export const studyOf = ({ study }) => (study?.file === file.id ? file.studies[study.at] : undefined);

// Takes over the entries of the study that they belong to, if any.
export function update(entries) {
  const study = studyOf(entries[0]);
  if (study) study.entries = entries;
}
