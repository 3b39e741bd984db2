import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const MODULES = resolve("node_modules");

/** Of files with these contents, those that types and lint have nothing to say against. */
export function passesGate(mutated: ReadonlyMap<string, string>): readonly string[] {
  // Not in .cache: what git ignores is not linted.
  const copy = mkdtempSync(join(tmpdir(), "mutants-"));
  for (const part of execFileSync("git", ["ls-files"], { encoding: "utf8" }).trim().split("\n"))
    cpSync(part, join(copy, part), { recursive: true });
  symlinkSync(MODULES, join(copy, "node_modules"));
  for (const [file, text] of mutated) writeFileSync(join(copy, file), text);
  const complaints = [
    complaintsOf(copy, "tsc", ["--noEmit", "--pretty", "false"]),
    complaintsOf(copy, "oxlint", ["--type-aware", "--format=unix"]),
  ].join("\n");
  rmSync(copy, { recursive: true, force: true });
  return [...mutated.keys()].filter((file) => !complaints.includes(file));
}

function complaintsOf(directory: string, program: string, args: readonly string[]): string {
  const { stdout, stderr } = spawnSync(join(MODULES, ".bin", program), args, {
    cwd: directory,
    encoding: "utf8",
    maxBuffer: 2 ** 28,
  });
  const said = stdout + stderr;
  if (/No files found/.test(said)) throw new Error(`${program} has looked at nothing`);
  return said;
}
