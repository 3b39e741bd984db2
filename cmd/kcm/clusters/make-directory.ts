import { existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";

/** With its parents. (The recursive mkdir of Node.js never returns below directories such as /proc.) */
export function makeDirectory(path: string, mode: number): void {
  if (existsSync(path)) return;
  makeDirectory(dirname(path), mode);
  mkdirSync(path, { mode });
}
