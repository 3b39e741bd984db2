import { isJson, type Json, text } from "../../pkg/api/json.ts";
import type { Step } from "./case.ts";
import { type MaskedAnswer, OTHERS } from "./mask.ts";
import { type Difference, place, withoutGo, wording } from "./signature.ts";

interface Cause {
  readonly reason: string;
  readonly field: string;
  readonly message: string;
}

/** What the two answers to one request do not agree in. */
export function compareAnswers(step: Step, real: MaskedAnswer, embedded: MaskedAnswer): Difference[] {
  const found = new Found(step);
  if (isForgotten(real.body) !== isForgotten(embedded.body)) found.forgotten(real.body, embedded.body);
  else if (real.status !== embedded.status) found.status(real, embedded);
  else if (isStatus(real.body) && isStatus(embedded.body)) found.refusal(real.body, embedded.body);
  else found.bodies(real.body, embedded.body);
  if (real.status === embedded.status) found.headers(real, embedded);
  return found.list;
}

class Found {
  readonly list: Difference[] = [];
  readonly #step: Step;
  readonly #kind: string;

  constructor(step: Step) {
    this.#step = step;
    this.#kind = step.kind.split("/")[0] ?? "";
  }

  /** How many changes a server remembers is its own affair, and so is which versions it takes watches from. */
  forgotten(real: unknown, embedded: unknown): void {
    this.#add("any watch: from a version that one of the two has forgotten", short(real), short(embedded));
  }

  status(real: MaskedAnswer, embedded: MaskedAnswer): void {
    const refuses = real.status > embedded.status ? real : embedded;
    const causes = causesOf(refuses.body);
    const codes = `${real.status} not ${embedded.status}`;
    const seen = [short(real.body), short(embedded.body)] as const;
    const isBroken = real.status === 0 || embedded.status === 0;
    if (!isBroken && Math.min(real.status, embedded.status) >= 400) {
      this.#add(`any ${this.#place()}: ${codes}: ${firstRefusal(real, embedded)}`, ...seen);
      return;
    }
    if (isBroken) this.#add(`any ${this.#place()}: ${codes}`, ...seen);
    else if (refuses.status !== 422 || causes.length === 0) {
      const said = wording(messageOf(refuses.body));
      this.#add(`${this.#scope(refuses)}: ${codes}: ${said}`, ...seen);
    }
    // The first is enough: mending it shows the next.
    else for (const cause of causes.slice(0, 1)) this.#add(`${this.#cause(cause)}: ${codes}`, ...seen);
  }

  refusal(real: Json, embedded: Json): void {
    const [theirs, ours] = [causesOf(real), causesOf(embedded)];
    const missing = without(theirs, ours);
    const added = without(ours, theirs);
    for (const cause of missing) {
      const other = added.find(({ field, reason }) => field === cause.field && reason === cause.reason);
      if (other !== undefined && withoutGo(other.message) === withoutGo(cause.message))
        this.#add(GO, cause.message, other.message);
      else if (other === undefined) this.#add(`${this.#cause(cause)}: cause missing`, cause.message, "");
      else this.#add(`${this.#cause(cause)}: other words`, cause.message, other.message);
    }
    for (const cause of added)
      if (!missing.some(({ field, reason }) => field === cause.field && reason === cause.reason))
        this.#add(`${this.#cause(cause)}: cause too many`, "", cause.message);
    if (missing.length + added.length > 0) return;
    const scope = this.#scope({ status: Number(real["code"]) });
    const [message, other] = [messageOf(real), messageOf(embedded)];
    if (theirs.length > 0 && message !== other)
      this.#add("any 422: causes in another order or number", message, other);
    else if (withoutGo(message) === withoutGo(other)) {
      if (message !== other) this.#add(GO, message, other);
    } else this.#add(`${scope}: ${wording(message)}: other words`, message, other);
    // Caches say after how long, the storage does not.
    const isTooLarge = message.startsWith("Timeout: Too large resource version");
    for (const key of ["reason", "details", "metadata", "status"] as const) {
      const [a, b] = [real[key], embedded[key]].map((value) => JSON.stringify(withoutCauses(value)));
      if (a === b) continue;
      this.#add(isTooLarge ? LATER : `${scope}: ${wording(message)}: other ${key}`, a ?? "", b ?? "");
    }
  }

  bodies(real: unknown, embedded: unknown): void {
    const before = this.list.length;
    this.#walk(real, embedded, "", (path) => !path.includes("metadata.managedFields"));
    // What an object lacks its managers lack, too.
    if (this.list.length === before) this.#walk(real, embedded, "", () => true);
  }

  headers(real: MaskedAnswer, embedded: MaskedAnswer): void {
    const [theirs, ours] = [real.warnings, embedded.warnings];
    for (const line of theirs) if (!ours.includes(line)) this.#add(this.#warning(line, "missing"), line, "");
    for (const line of ours) if (!theirs.includes(line)) this.#add(this.#warning(line, "too many"), "", line);
    if (real.contentType !== embedded.contentType)
      this.#add(
        `any ${real.contentType} not ${embedded.contentType}`,
        real.contentType,
        embedded.contentType,
      );
    if (real.retryAfter !== embedded.retryAfter) this.#add(LATER, real.retryAfter, embedded.retryAfter);
  }

  #warning(line: string, how: string): string {
    return `warning ${wording(
      line
        .replace(/^299 - "(.*)"$/s, "$1")
        .replaceAll('\\"', '"')
        .replaceAll(/\[\d+\]/g, "[*]"),
    )}: ${how}`;
  }

  #cause({ reason, field, message }: Cause): string {
    return `${place(this.#kind, field)}: ${reason}: ${wording(message)}`;
  }

  /** Refusals for which no field of the object is to blame read the same for every kind. */
  #scope({ status }: Pick<MaskedAnswer, "status">): string {
    if (this.#kind === "document" && status === 406) return "any document";
    return `${status === 422 ? this.#step.kind : "any"} ${this.#place()}`;
  }

  /** What was asked for; most documents mind no methods. */
  #place(): string {
    return this.#kind === "document" ? `document${this.#step.what.replace(/^\S+/, "")}` : this.#step.what;
  }

  #walk(real: unknown, embedded: unknown, path: string, wanted: (path: string) => boolean): void {
    if (!wanted(path) || Object.is(real, embedded) || nothingOfCase(real, embedded)) return;
    if (Array.isArray(real) && Array.isArray(embedded)) {
      if (real.length !== embedded.length) this.#differs(path, real, embedded, "length");
      else
        for (const [index, item] of real.entries())
          this.#walk(item, embedded[index], `${path}[${index}]`, wanted);
    } else if (isJson(real) && isJson(embedded)) {
      for (const key of new Set([...Object.keys(real), ...Object.keys(embedded)]))
        this.#walk(real[key], embedded[key], path === "" ? keyName(key) : `${path}.${keyName(key)}`, wanted);
    } else if (real === undefined) this.#differs(path, real, embedded, "too many");
    else this.#differs(path, real, embedded, embedded === undefined ? "missing" : "differs");
  }

  #differs(path: string, real: unknown, embedded: unknown, how: string): void {
    if (this.#kind === "document") {
      this.#add(`${this.#place()} differs`, short(real), short(embedded));
      return;
    }
    const inObject = path.replace(/^(?:items\[\d+\]|rows\[\d+\]\.object|\[\d+\]\.object|object)\./, "");
    // What an object holds is the same in every answer that shows it.
    const scope = /^(?:$|(?:items|rows|columnDefinitions)\b|\[)/.test(inObject) ? this.#verb() : "";
    this.#add(`${scope}${place(this.#kind, inObject)}: ${how}`, short(real), short(embedded));
  }

  #verb(): string {
    return /^(?:create|update|patch|apply|get$)/.test(this.#step.what) ? "" : `${this.#step.what}: `;
  }

  #add(signature: string, real: string, embedded: string): void {
    if (!this.list.some((one) => one.signature === signature)) this.list.push({ signature, real, embedded });
  }
}

const LATER = "any refusal: after how long to ask again";

/** Where the same is said of a value that Go prints in its own way. */
const GO = "any refusal: values and types as Go prints them";

/** Which of two refusals comes first says nothing of the field that one of them is about. */
function firstRefusal(...answers: readonly MaskedAnswer[]): string {
  const said = answers.map(({ status, body }) => (status === 422 ? "" : wording(messageOf(body))));
  return said.toSorted((a, b) => b.length - a.length)[0] ?? "";
}

/** Keys that are no names of fields are the users' own. */
function keyName(key: string): string {
  if (key.startsWith("f:")) return key.slice(2).replaceAll(/[./].*/g, "*");
  return /^[a-zA-Z][A-Za-z0-9]*$/.test(key) ? key : "[*]";
}

/** Two lists, of which one has others' objects alone and the other one none. */
function nothingOfCase(...lists: readonly unknown[]): boolean {
  const isEmpty = (list: unknown): boolean => list === null || (Array.isArray(list) && list.length === 0);
  return lists.includes(OTHERS) && lists.every((list) => list === OTHERS || isEmpty(list));
}

/** A watch that says so, in its first event. */
function isForgotten(body: unknown): boolean {
  const first: unknown = Array.isArray(body) ? body[0] : body;
  const status = isJson(first) && first["type"] === "ERROR" ? first["object"] : undefined;
  return isJson(status) && status["code"] === 410;
}

function isStatus(body: unknown): body is Json {
  return isJson(body) && body["kind"] === "Status" && body["status"] === "Failure";
}

function messageOf(body: unknown): string {
  if (isJson(body) && typeof body["message"] === "string") return body["message"];
  return typeof body === "string" ? body : "";
}

function causesOf(body: unknown): readonly Cause[] {
  const details = isJson(body) ? body["details"] : undefined;
  const causes = isJson(details) ? details["causes"] : undefined;
  return Array.isArray(causes)
    ? causes.filter(isJson).map((one) => ({
        reason: text(one, "reason"),
        field: text(one, "field"),
        message: text(one, "message"),
      }))
    : [];
}

function without(list: readonly Cause[], others: readonly Cause[]): readonly Cause[] {
  const keys = new Set(others.map((one) => JSON.stringify(one)));
  return list.filter((one) => !keys.has(JSON.stringify(one)));
}

function withoutCauses(value: unknown): unknown {
  if (!isJson(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== "causes")
      .toSorted(([a], [b]) => a.localeCompare(b)),
  );
}

function short(value: unknown): string {
  return (JSON.stringify(value) ?? "").slice(0, 400);
}
