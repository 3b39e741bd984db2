import { readFileSync, writeFileSync } from "node:fs";

/** A difference that stays, under the signature that the fuzzer finds it by. */
export interface Known {
  readonly signature: string;
  /** Key of `reasons`. */
  readonly why: string;
  /** The smallest request that was found, and what each server said. */
  readonly example: Example;
}

export interface Example {
  readonly requests: readonly string[];
  readonly real: string;
  readonly embedded: string;
}

export interface KnownDifferences {
  /** Why differences stay, as README.md says it. */
  readonly reasons: Readonly<Record<string, string>>;
  readonly differences: readonly Known[];
}

const FILE = new URL("known.json", import.meta.url);

export function readKnown(): KnownDifferences {
  return JSON.parse(readFileSync(FILE, "utf8")) as KnownDifferences;
}

export function writeKnown({ reasons, differences }: KnownDifferences): void {
  const sorted = differences.toSorted((a, b) => (a.signature < b.signature ? -1 : 1));
  writeFileSync(FILE, `${JSON.stringify({ reasons, differences: sorted }, null, 2)}\n`);
}

const README = new URL("../../pkg/apiserver/README.md", import.meta.url);
const BEGIN = "<!-- from test/differential/known.json: make differential WRITE=1 -->";
const END = "<!-- end -->";

/** The section of README.md that tells of the known differences. */
function section({ reasons, differences }: KnownDifferences): string {
  const lines = Object.entries(reasons).map(([why, text]) => {
    const count = differences.filter((one) => one.why === why).length;
    return `- ${text}${count === 0 ? "" : ` (${count} ${count === 1 ? "signature" : "signatures"})`}`;
  });
  return `${BEGIN}\n\n${lines.join("\n")}\n\n${END}`;
}

/** README.md as it is, and as it should be. */
export function readmeOf(known: KnownDifferences): { readonly is: string; readonly shouldBe: string } {
  const is = readFileSync(README, "utf8");
  const [begin, end] = [is.indexOf(BEGIN), is.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error("README.md has no place for the known differences");
  return { is, shouldBe: is.slice(0, begin) + section(known) + is.slice(end + END.length) };
}

export function writeReadme(known: KnownDifferences): void {
  writeFileSync(README, readmeOf(known).shouldBe);
}
