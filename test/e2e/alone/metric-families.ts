import { readFile } from "node:fs/promises";
import { ask } from "../../harness/https-client.ts";
import type { LonelyCluster } from "./lonely-cluster.ts";

/** What a family of metrics looks like from outside. */
export interface Family {
  readonly type: string;
  /** Without those that its type brings. */
  readonly labels: readonly string[];
  /** Of histograms. */
  readonly buckets?: readonly number[];
}

export type Families = Readonly<Record<string, Family>>;

export const RECORDED = new URL("./metric-families.gen.json", import.meta.url);
const REASONS = new URL("../../../cmd/kube-controller-manager/METRICS.md", import.meta.url);
const SUFFIX = /_(?:bucket|sum|count)$/;
const SAMPLE = /^([a-z_:][\w:]*)(?:\{(.*)\})? /i;
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g;

/** Of what a program tells of itself, those that have samples. What counts requests shows with the second one. */
export async function familiesOf({ port, server }: LonelyCluster): Promise<Families> {
  const families: Record<string, Family> = {};
  for (const path of ["/metrics", "/metrics", "/metrics/slis"]) {
    const { status, body } = await ask({ port, path, client: server.admin });
    if (status !== 200) throw new Error(`${path}: ${status} ${body}`);
    Object.assign(families, parse(body));
  }
  return Object.fromEntries(Object.entries(families).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function parse(text: string): Record<string, Family> {
  const types = new Map<string, string>();
  const labels = new Map<string, Set<string>>();
  const buckets = new Map<string, Set<number>>();
  const of = <T>(sets: Map<string, Set<T>>, name: string): Set<T> => {
    const known = sets.get(name) ?? new Set();
    sets.set(name, known);
    return known;
  };
  for (const line of text.split("\n")) {
    const [, declared, type = ""] = /^# TYPE (\S+) (\S+)/.exec(line) ?? [];
    if (declared !== undefined) types.set(declared, type);
    const [, sample, list = ""] = SAMPLE.exec(line) ?? [];
    if (sample === undefined) continue;
    const name = types.has(sample) ? sample : sample.replace(SUFFIX, "");
    const known = of(labels, name);
    for (const [, label = "", value = ""] of list.matchAll(LABEL)) {
      if (label === "le") of(buckets, name).add(value === "+Inf" ? Number.MAX_VALUE : Number(value));
      else if (label !== "quantile") known.add(label);
    }
  }
  return Object.fromEntries(
    [...labels].map(([name, known]) => {
      const bounds = buckets.get(name);
      return [
        name,
        {
          type: types.get(name) ?? "",
          labels: [...known].toSorted(),
          ...(bounds && { buckets: [...bounds].toSorted((a, b) => a - b) }),
        },
      ];
    }),
  );
}

export async function recordedFamilies(): Promise<Families> {
  return JSON.parse(await readFile(RECORDED, "utf8")) as Families;
}

/** Of two looks, one before and one after something. */
export function together(before: Families, after: Families): Families {
  return Object.fromEntries(Object.entries({ ...before, ...after }).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Which side lacks the family, or has it otherwise. */
export type Difference = "only in Go" | "only here" | "other";

export function differencesOf(theirs: Families, ours: Families): ReadonlyMap<string, Difference> {
  const differences = new Map<string, Difference>();
  for (const name of new Set([...Object.keys(theirs), ...Object.keys(ours)])) {
    const [their, our] = [theirs[name], ours[name]];
    if (our === undefined) differences.set(name, "only in Go");
    else if (their === undefined) differences.set(name, "only here");
    else if (JSON.stringify(their) !== JSON.stringify(our)) differences.set(name, "other");
  }
  return differences;
}

export interface Reason {
  /** At times: there is one when something has gone wrong, or has happened to be late, on either side. */
  readonly difference: Difference | "at times";
  readonly pattern: RegExp;
  readonly text: string;
}

/** The rows of the table: a family, or the beginning of several with an asterisk, and which side lacks it. */
export async function reasons(): Promise<readonly Reason[]> {
  const rows = (await readFile(REASONS, "utf8")).matchAll(
    /^\| `([\w*]+)` \| (only in Go|only here|other|at times) \|/gm,
  );
  return [...rows].map(([, family = "", difference = ""]) => ({
    difference: difference as Reason["difference"],
    pattern: new RegExp(`^${family.replaceAll("*", "\\w*")}$`),
    text: `${family}: ${difference}`,
  }));
}

export function explains({ difference, pattern }: Reason, family: string, found: Difference): boolean {
  return (difference === found || difference === "at times") && pattern.test(family);
}
