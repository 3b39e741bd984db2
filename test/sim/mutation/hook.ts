// Preloaded into a simulation: puts the mistake that MUTANT names into the program while it is loaded.
import { registerHooks } from "node:module";
import { mutants } from "./mutants.ts";

const mutant = mutants.find(({ name }) => name === process.env["MUTANT"]);
if (mutant === undefined) throw new Error(`there is no mutant ${process.env["MUTANT"]}`);
const { file, find, replace } = mutant;

registerHooks({
  load: (url, context, nextLoad) => {
    const loaded = nextLoad(url, context);
    if (!url.endsWith(`/${file}`)) return loaded;
    const source = Buffer.from(loaded.source as Uint8Array).toString();
    if (source.split(find).length !== 2) throw new Error(`${file} does not have exactly one ${find}`);
    return { ...loaded, source: source.replace(find, () => replace) };
  },
});
