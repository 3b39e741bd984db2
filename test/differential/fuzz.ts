import type { Json } from "../../pkg/api/json.ts";
import { parseJson } from "../../pkg/api/wire-json.ts";
import { bodyText, type Case, runToken, type Step } from "./case.ts";
import { catalogOf } from "./generate/catalog.ts";
import { Cases } from "./generate/cases.ts";
import { Samples } from "./generate/samples.ts";
import type { Example } from "./known.ts";
import { runCase, type Sides } from "./run-case.ts";
import { shrink } from "./shrink.ts";
import type { Side } from "./side.ts";
import { namespaceOf } from "./two-servers.ts";

export interface FuzzOptions {
  readonly seed: number;
  /** Number of the first case. */
  readonly from: number;
  /** How many requests, and those that the last case then still has. */
  readonly count: number;
  readonly workers: number;
  /** Kinds to try. */
  readonly only: RegExp;
}

/** All answers that differ in the same way. */
export interface Group {
  readonly signature: string;
  times: number;
  /** The first case with it, and the request that showed it. */
  readonly first: Case;
  readonly step: number;
  readonly real: string;
  readonly embedded: string;
}

export interface FuzzResult {
  readonly requests: number;
  readonly cases: number;
  readonly groups: readonly Group[];
}

/** Sends cases to both servers until there were enough requests, several at a time. */
export class Fuzz {
  readonly #sides: Sides;
  readonly #options: FuzzOptions;
  readonly #cases: Cases;
  readonly #groups = new Map<string, Group>();
  #runs = 0;

  private constructor(sides: Sides, options: FuzzOptions, cases: Cases) {
    this.#sides = sides;
    this.#options = options;
    this.#cases = cases;
  }

  static async prepare(sides: Sides, options: FuzzOptions): Promise<Fuzz> {
    const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
    const [openApi, core, groups] = await Promise.all([
      read(sides.real, "/openapi/v2", "application/json"),
      read(sides.real, "/api", aggregated),
      read(sides.real, "/apis", aggregated),
    ]);
    const catalog = catalogOf(openApi as Json, [core, groups]);
    return new Fuzz(sides, options, new Cases(catalog, new Samples(), options.seed, options.only));
  }

  async run(onProgress: (requests: number, groups: number) => void): Promise<FuzzResult> {
    const { from, count, workers } = this.#options;
    let next = from;
    let planned = 0;
    let requests = 0;
    const work = async (worker: number): Promise<void> => {
      while (planned < count) {
        const one = this.#cases.case(next++);
        planned += one.steps.length;
        const played = await this.#play(one, worker);
        requests += played;
        onProgress(requests, this.#groups.size);
      }
    };
    await Promise.all(Array.from({ length: workers }, async (_, worker) => work(worker)));
    return { requests, cases: next - from, groups: [...this.#groups.values()] };
  }

  /** As the seed makes it. */
  case(number: number): Case {
    return this.#cases.case(number);
  }

  /** The smallest requests of each that show it, in the same order; `runs` are spent on each. */
  async examples(groups: readonly Group[], runs: number): Promise<readonly Example[]> {
    const examples: Example[] = [];
    const queue = groups.entries();
    const work = async (worker: number): Promise<void> => {
      for (const [index, group] of queue) examples[index] = await this.#example(group, runs, worker);
    };
    await Promise.all(Array.from({ length: this.#options.workers }, async (_, worker) => work(worker)));
    return examples;
  }

  async #example(
    { signature, first, step, real, embedded }: Group,
    runs: number,
    worker: number,
  ): Promise<Example> {
    const shown = { ...first, steps: first.steps.slice(0, step + 1) };
    const shows = async (one: Case): Promise<boolean> => {
      const { findings } = await this.#once(one, worker);
      return findings.some((found) => found.signature === signature);
    };
    const small = await shrink(shown, shows, runs);
    return {
      requests: small.steps.map(asText),
      real: real.slice(0, SHOWN),
      embedded: embedded.slice(0, SHOWN),
    };
  }

  async #play(one: Case, worker: number): Promise<number> {
    const { requests, findings } = await this.#once(one, worker);
    for (const { signature, step, real, embedded } of findings) {
      const known = this.#groups.get(signature);
      if (known === undefined)
        this.#groups.set(signature, { signature, times: 1, first: one, step, real, embedded });
      else known.times++;
    }
    return requests;
  }

  async #once(one: Case, worker: number): ReturnType<typeof runCase> {
    const names = { token: runToken(this.#runs++), namespace: namespaceOf(worker) };
    return runCase(this.#sides, one, names);
  }
}

/** Examples are for people. */
const SHOWN = 240;

function asText({ method, path, user, headers, body, ontoLast }: Step): string {
  const who = user === "admin" ? "" : ` as ${user}`;
  const others = Object.entries(headers).filter(
    ([key, value]) => key !== "content-type" || value !== "application/json",
  );
  const with_ = others.map(([key, value]) => ` ${key}=${value}`).join("");
  const content =
    body === undefined ? "" : ` ${ontoLast === true ? "what was read with " : ""}${bodyText(body)}`;
  return `${method} ${path}${who}${with_}${content}`.slice(0, 2 * SHOWN);
}

async function read(side: Pick<Side, "send">, path: string, accept: string): Promise<unknown> {
  const { status, text } = await side.send({ method: "GET", path, user: "admin", headers: { accept } });
  if (status !== 200) throw new Error(`GET ${path}: ${status} ${text.slice(0, 200)}`);
  return parseJson(text);
}
