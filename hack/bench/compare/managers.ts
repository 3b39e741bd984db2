import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { goManager } from "../../../test/harness/real-programs.ts";

/** A controller manager under test. */
export interface Manager {
  readonly name: string;
  /** Without flags. */
  readonly command: readonly string[];
}

const root = join(import.meta.dirname, "../../..");
/** Of Node.js, as in the first line of the program in the image (Dockerfile). */
const IMAGE_FLAGS = ["--max-semi-space-size=8"];
/** As in the image, besides what it keeps of reading the program. */
const IMAGE_ENVIRONMENT = ["MALLOC_ARENA_MAX=1"];
const BUNDLE = "kube-controller-manager.mjs";

/**
 * Those that are asked for as NAME=COMMAND; when none are, this repository's bundle, built now, and upstream's program
 * where GO_KCM names it. The first is "ours" in the report. The bundle is copied to `directory`, so that whoever builds
 * meanwhile does not change what is measured.
 */
export function managersOf(asked: readonly string[], directory: string): readonly Manager[] {
  if (asked.length > 0) return asked.map(parseManager);
  const upstream = goManager();
  return [
    { name: "ours", command: ourCommand(directory) },
    ...(upstream === undefined ? [] : [{ name: "go", command: [upstream] }]),
  ];
}

/** This repository's bundle, built now, as the image runs it. */
export function ourCommand(directory: string): readonly string[] {
  const environment = [...IMAGE_ENVIRONMENT, `NODE_COMPILE_CACHE=${join(directory, "compile-cache")}`];
  const command = ["env", ...environment, process.execPath, ...IMAGE_FLAGS, buildBundle(directory)];
  // As when the image is built: this fills the cache.
  execFileSync("env", [...command.slice(1), "--version"], { stdio: "ignore" });
  return command;
}

function buildBundle(directory: string): string {
  execFileSync("rolldown", ["-c", "hack/rolldown.config.ts"], { cwd: root, stdio: "ignore" });
  const copy = join(directory, BUNDLE);
  copyFileSync(join(root, "dist", BUNDLE), copy);
  return copy;
}

export function versionOf({ command }: Manager): string {
  const [program = "", ...args] = command;
  return execFileSync(program, [...args, "--version"], { encoding: "utf8" }).trim();
}

function parseManager(text: string): Manager {
  const [, name = "", line = ""] = /^([\w.-]+)=(.+)$/.exec(text) ?? [];
  if (name === "") throw new Error(`--manager ${text}: expected NAME=COMMAND`);
  const command = line.trim().split(/\s+/);
  const [program = ""] = command;
  if (program.includes("/") && !existsSync(program))
    throw new Error(`--manager ${name}: no such file: ${program}`);
  return { name, command };
}
