// Fails when a package in node_modules is not the one that package-lock.json names, by version and checksum. npm install,
// unlike npm ci, would take another one where the lock file does not fit.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

interface LockFile {
  readonly packages: Readonly<Record<string, { readonly version?: string; readonly integrity?: string }>>;
}

const read = (path: string): LockFile =>
  JSON.parse(readFileSync(fileURLToPath(new URL(`../${path}`, import.meta.url)), "utf8")) as LockFile;

const locked = read("package-lock.json").packages;
const installed = Object.entries(read("node_modules/.package-lock.json").packages);
const strangers = installed.filter(([path, { version, integrity }]) => {
  const wanted = locked[path];
  return wanted?.version !== version || wanted?.integrity !== integrity;
});
for (const [path, { version }] of strangers) {
  console.error(
    `${path} is ${version}, and not ${locked[path]?.version ?? "there"} as package-lock.json has it`,
  );
}
process.exitCode = strangers.length === 0 && installed.length > 0 ? 0 : 1;
