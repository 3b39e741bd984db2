import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const COPY = ".cache/mutants";

/** Of files with these contents, those that types and lint have nothing to say against. */
export function passesGate(mutated: ReadonlyMap<string, string>): readonly string[] {
  rmSync(COPY, { recursive: true, force: true });
  mkdirSync(COPY, { recursive: true });
  for (const part of execFileSync("git", ["ls-files"], { encoding: "utf8" }).trim().split("\n"))
    cpSync(part, join(COPY, part), { recursive: true });
  symlinkSync("../../node_modules", join(COPY, "node_modules"));
  for (const [file, text] of mutated) writeFileSync(join(COPY, file), text);
  const complaints = [
    complaintsOf("tsc", ["--noEmit", "--pretty", "false"]),
    complaintsOf("oxlint", ["--type-aware", "--format=unix"]),
  ].join("\n");
  rmSync(COPY, { recursive: true, force: true });
  return [...mutated.keys()].filter((file) => !complaints.includes(file));
}

function complaintsOf(program: string, args: readonly string[]): string {
  const { stdout, stderr } = spawnSync(join("../../node_modules/.bin", program), args, {
    cwd: COPY,
    encoding: "utf8",
    maxBuffer: 2 ** 28,
  });
  return stdout + stderr;
}
