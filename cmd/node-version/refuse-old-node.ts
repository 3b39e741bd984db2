import { tooOld } from "./oldest-node.ts";

// Imported first: an old Node.js would end with the name of some function that it lacks.
const problem = tooOld(process.versions.node);
if (problem !== undefined) {
  process.stderr.write(`Error: ${problem}\n`);
  process.exit(1);
}
