import { readFileSync, writeFileSync } from "node:fs";
import { brotliCompressSync, brotliDecompressSync } from "node:zlib";
import type { Case } from "./case.ts";
import type { Answer } from "./side.ts";

/** A case and what the real server answered to its requests, masked. */
export interface RecordedCase extends Case {
  readonly answers: readonly Answer[];
}

const FILE = new URL("recorded.json.br", import.meta.url);

export function readRecorded(): readonly RecordedCase[] {
  return JSON.parse(brotliDecompressSync(readFileSync(FILE)).toString()) as readonly RecordedCase[];
}

export function writeRecorded(cases: readonly RecordedCase[]): void {
  writeFileSync(FILE, brotliCompressSync(JSON.stringify(cases)));
}

/** Stands in for the real server in one run of the case. */
export function replaying({ answers }: RecordedCase): { send(): Promise<Answer> } {
  const left = answers.values();
  const over: Answer = { status: 404, warnings: [], contentType: "", retryAfter: "", text: "" };
  return { send: async () => left.next().value ?? over };
}
