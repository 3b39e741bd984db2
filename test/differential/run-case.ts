import { isJson, type Json } from "../../pkg/api/json.ts";
import { copyJson } from "../../pkg/api/json-copy.ts";
import { parseJson } from "../../pkg/api/wire-json.ts";
import {
  bodyText,
  type Case,
  type Choices,
  noChoices,
  rendered,
  type RunNames,
  type Step,
  TWICE,
} from "./case.ts";
import { compareAnswers } from "./compare.ts";
import { masked } from "./mask.ts";
import type { Answer, Side } from "./side.ts";
import type { Difference } from "./signature.ts";

export interface Sides {
  readonly real: Pick<Side, "send">;
  readonly embedded: Pick<Side, "send">;
}

/** A difference, and the request of the case that shows it. */
export interface Finding extends Difference {
  readonly step: number;
}

export interface CaseResult {
  readonly requests: number;
  readonly findings: readonly Finding[];
}

/**
 * Sends the requests of a case to both servers and compares their answers. Once one of them took what the other refused,
 * they no longer hold the same, and the rest is left.
 */
export async function runCase(sides: Sides, one: Case, names: RunNames): Promise<CaseResult> {
  const players = [new Player(sides.real, names), new Player(sides.embedded, names)] as const;
  const findings: Finding[] = [];
  let requests = 0;
  let isTwice = false;
  for (const [index, step] of one.steps.entries()) {
    requests++;
    const [real, embedded] = await Promise.all(players.map(async (player) => player.send(step)));
    if (real === undefined || embedded === undefined) throw new Error("two players answer twice");
    isTwice ||= namesTwice(step);
    for (const found of compareAnswers(step, masked(real, names, step), masked(embedded, names, step))) {
      const signature = isTwice ? OF_TWICE : found.signature;
      if (!findings.some((other) => other.signature === signature))
        findings.push({ ...found, signature, step: index });
    }
    if (real.status !== embedded.status) break;
  }
  await Promise.all(players.map(async (player) => player.cleanUp()));
  return { requests, findings };
}

/** The two servers do not hold the same from there on. */
const OF_TWICE = "any key that is written twice: what comes of it";

function namesTwice({ body }: Step): boolean {
  return JSON.stringify(body ?? "").includes(TWICE);
}

/** Plays a case on one server. */
class Player {
  readonly #side: Pick<Side, "send">;
  readonly #names: RunNames;
  #choices: Choices = noChoices();
  /** Paths of what was created. */
  readonly #created = new Map<string, Json>();

  constructor(side: Pick<Side, "send">, names: RunNames) {
    this.#side = side;
    this.#names = names;
  }

  async send(step: Step): Promise<Answer> {
    const render = (text: string): string => rendered(text, this.#choices, this.#names);
    const path = render(step.path);
    const body = step.ontoLast === true ? merged(copyJson(this.#choices.last), step.body) : step.body;
    const answer = await this.#side.send({
      method: step.method,
      path,
      user: step.user,
      headers: step.headers,
      ...(body === undefined ? {} : { body: render(bodyText(body)) }),
    });
    this.#note(step, path, answer);
    return answer;
  }

  /** Nothing of a case stays, as the next one counts on. */
  async cleanUp(): Promise<void> {
    const headers = { "content-type": "application/json" };
    for (const path of this.#created.keys()) {
      const deletion = { method: "DELETE", path: `${path}?gracePeriodSeconds=0`, user: "admin", headers };
      const { status, text } = await this.#side.send(deletion);
      if (status !== 200 && status !== 202) continue;
      if (!text.includes('"finalizers":')) continue;
      await this.#side.send({
        method: "PATCH",
        path,
        user: "admin",
        headers: { "content-type": "application/merge-patch+json" },
        body: '{"metadata":{"finalizers":null}}',
      });
    }
  }

  #note(step: Step, path: string, { status, text, contentType }: Answer): void {
    if (status < 200 || status > 299 || !contentType.includes("application/json")) return;
    let body: unknown;
    try {
      body = parseJson(text);
    } catch (error) {
      // The lines of a watch.
      if (error instanceof SyntaxError) return;
      throw error;
    }
    const metadata = isJson(body) ? body["metadata"] : undefined;
    if (!isJson(body) || !isJson(metadata)) return;
    const { name, uid, resourceVersion: rv, continue: next } = metadata;
    if (typeof next === "string") this.#choices.continue = encodeURIComponent(next);
    if (typeof name !== "string" || name === "" || body["kind"] === "PartialObjectMetadata") return;
    if (step.kind.includes("/") || body["kind"] !== step.kind) return;
    this.#choices = {
      ...this.#choices,
      last: body,
      name,
      ...(typeof rv === "string" ? { rv } : {}),
      ...(typeof uid === "string" ? { uid } : {}),
    };
    const [own = ""] = path.split("?");
    if (step.method === "POST") this.#created.set(`${own}/${encodeURIComponent(name)}`, body);
    else if (step.method === "PUT" || step.method === "PATCH") this.#created.set(own, body);
  }
}

function merged(target: unknown, change: unknown): unknown {
  if (!isJson(change)) return change;
  const result: Json = isJson(target) ? target : {};
  for (const [key, value] of Object.entries(change)) {
    if (value === null) delete result[key];
    else result[key] = merged(result[key], value);
  }
  return result;
}
