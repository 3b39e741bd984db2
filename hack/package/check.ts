// What others make of the tarball: npm installs it into an empty project, with its dependencies from the registry;
// a strict compiler reads all of its declarations; publint and are-the-types-wrong judge it; programs run, and an operator
// is weighed, on the Node.js that CONSUMER_NODE names, or on this one.
import { spawnSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import {
  clusterProgram,
  everyRoom,
  managedProgram,
  minimalProgram,
  operatorProgram,
  SCHEMA_LIBRARIES,
  schemasProgram,
} from "./programs.ts";
import type { BundledPackage } from "./notices.ts";
import { type Sbom, sbomOfPackage } from "./sbom.ts";
import { weighOperator } from "./weigh-operator.ts";

const PUBLINT = "publint@0.3.25";
const ARE_THE_TYPES_WRONG = "@arethetypeswrong/cli@0.18.5";

const root = resolve(import.meta.dirname, "../..");
const [tarball = ""] = globSync(join(root, "dist/*.tgz"));
const node = process.env["CONSUMER_NODE"] ?? process.execPath;
const project = mkdtempSync(join(tmpdir(), "kcm-package-"));

function run(command: string, ...args: readonly string[]): void {
  console.log(`$ ${[command, ...args].join(" ")}`);
  const { status, error } = spawnSync(command, args, { cwd: project, stdio: "inherit" });
  if (status !== 0) throw new Error(`${command} has ended with ${status}`, { cause: error });
}

/** Of what users get, beside the tarball. */
function writeSbom(): void {
  const args = ["sbom", "--sbom-format=cyclonedx", "--sbom-type=library"];
  const { status, stdout, stderr } = spawnSync("npm", args, { cwd: project, encoding: "utf8" });
  if (status !== 0) throw new Error(`npm sbom has failed: ${stderr}`);
  const bundled = JSON.parse(
    readFileSync(join(root, "dist/bundled.json"), "utf8"),
  ) as readonly BundledPackage[];
  const bill = sbomOfPackage(JSON.parse(stdout) as Sbom, "kube-controller-manager", bundled);
  writeFileSync(join(root, "dist/sbom.cdx.json"), `${JSON.stringify(bill, null, 2)}\n`);
}

/** As strict as it gets, with what is in other packages' declarations. */
function compile(): void {
  const { exports: rooms, devDependencies } = JSON.parse(
    readFileSync(join(root, "package.json"), "utf8"),
  ) as {
    readonly exports: Readonly<Record<string, string>>;
    readonly devDependencies: Readonly<Record<string, string>>;
  };
  const tools = ["typescript", "@types/node"].map((name) => `${name}@${devDependencies[name]}`);
  run("npm", "install", "--no-audit", "--no-fund", ...tools, ...SCHEMA_LIBRARIES);
  const sources = {
    "rooms.ts": everyRoom(Object.keys(rooms).filter((room) => !/\*|\.json$/.test(room))),
    "minimal.ts": minimalProgram,
    "operator.ts": operatorProgram,
    "managed.ts": managedProgram,
    "schemas.ts": schemasProgram,
  };
  for (const [name, text] of Object.entries(sources)) writeFileSync(join(project, name), text);
  const compilerOptions = {
    target: "es2024",
    lib: ["es2024"],
    module: "nodenext",
    types: ["node"],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
  };
  const files = Object.keys(sources);
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
  run("node_modules/.bin/tsc", "-p", ".");
}

try {
  writeFileSync(
    join(project, "package.json"),
    '{ "name": "consumer", "version": "1.0.0", "private": true, "type": "module" }\n',
  );
  run("npm", "install", "--no-audit", "--no-fund", tarball);
  writeSbom();
  // Its types are erased by hand: older releases of Node.js read no TypeScript.
  const program = clusterProgram.replace("const pod: Pod =", "const pod =").replace(/^import type .*$/m, "");
  writeFileSync(join(project, "cluster.js"), program);
  run(node, "--version");
  run(node, "cluster.js");
  run(node, "node_modules/kube-controller-manager/bin/kcm.mjs", "--version");
  compile();
  run(node, "schemas.js");
  for (const figure of await weighOperator(project, node)) console.log(figure);
  run("npx", "--yes", PUBLINT, tarball, "--strict");
  // ECMAScript modules only, which Node.js 22 can load from CommonJS, too.
  run("npx", "--yes", ARE_THE_TYPES_WRONG, tarball, "--profile", "esm-only");
} finally {
  rmSync(project, { recursive: true, force: true });
}
