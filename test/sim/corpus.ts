import { readFileSync } from "node:fs";
import type { Scenario } from "./scenario.ts";

/** A scenario that has failed once, cut down to what it takes. */
export interface Regression {
  readonly why: string;
  readonly scenario: Scenario;
}

export function readCorpus(): readonly Regression[] {
  return JSON.parse(readFileSync(new URL("corpus.json", import.meta.url), "utf8")) as readonly Regression[];
}
