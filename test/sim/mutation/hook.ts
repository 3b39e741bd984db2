// Preloaded into a simulation: puts the mistake that MUTANT names into the program while it is loaded.
import { registerHooks } from "node:module";
import { mutants } from "./mutants.ts";

const mutant = mutants.find(({ name }) => name === process.env["MUTANT"]);
if (mutant === undefined) throw new Error(`there is no mutant ${process.env["MUTANT"]}`);
const edits = [mutant, ...(mutant.also === undefined ? [] : [mutant.also])];

registerHooks({
  load: (url, context, nextLoad) => {
    const loaded = nextLoad(url, context);
    const here = edits.filter(({ file }) => url.endsWith(`/${file}`));
    if (here.length === 0) return loaded;
    let source = Buffer.from(loaded.source as Uint8Array).toString();
    for (const { file, find, replace } of here) {
      if (source.split(find).length !== 2) throw new Error(`${file} does not have exactly one ${find}`);
      source = source.replace(find, () => replace);
    }
    return { ...loaded, source };
  },
});
