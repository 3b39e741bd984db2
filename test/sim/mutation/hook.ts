// Preloaded into a simulation: puts the mistake that MUTANT names into the program while it is loaded.
import { editsOf } from "../../mutants/mutant.ts";
import { mutants } from "./mutants.ts";

const mutant = mutants.find(({ name }) => name === process.env["MUTANT"]);
if (mutant === undefined) throw new Error(`there is no mutant ${process.env["MUTANT"]}`);
process.env["MUTANT_EDITS"] = JSON.stringify(editsOf(mutant));
await import("../../mutants/hook.ts");
