import { readFileSync, writeFileSync } from "node:fs";
import { brotliCompressSync, brotliDecompressSync } from "node:zlib";
import type { RealAnswers } from "./real-answers.ts";

const FILE = new URL("recorded.json.br", import.meta.url);

/** For machines without the real API server. */
export function readRecorded(): RealAnswers {
  return JSON.parse(brotliDecompressSync(readFileSync(FILE)).toString()) as RealAnswers;
}

/** Without what nobody compares, which is much. */
export function writeRecorded(answers: RealAnswers): void {
  const text = JSON.stringify(answers, (key, value: unknown) =>
    key === "managedFields" ? undefined : value,
  );
  writeFileSync(FILE, brotliCompressSync(text));
}
