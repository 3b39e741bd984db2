// What neither the types nor the lint can say, by the syntax of all sources: lost causes, generators that nobody runs.
import { globSync, readFileSync } from "node:fs";
import { declaredIn, idleGenerators, importsOf } from "./idle-generators.ts";
import { lostCauses } from "./lost-causes.ts";
import { syntaxOf } from "./syntax.ts";

const files = globSync("{cmd,controllers,hack,pkg,test}/**/*.ts").filter((file) => !file.endsWith(".d.ts"));
const syntaxes = new Map(files.map((file) => [file, syntaxOf(readFileSync(file, "utf8"))]));
const declared = new Map([...syntaxes].map(([file, syntax]) => [file, declaredIn(syntax)]));

const complaints = [...syntaxes].flatMap(([file, syntax]) => {
  const near = [file, ...importsOf(file, syntax)].flatMap((path) => declared.get(path) ?? []);
  return [
    ...lostCauses(syntax).map((line) => `${file}:${line}: this error must keep as its cause what was caught`),
    ...idleGenerators(syntax, near).map((line) => `${file}:${line}: this generator is called and never run`),
  ];
});
for (const complaint of complaints) console.log(complaint);
process.exitCode = complaints.length === 0 ? 0 : 1;
