import type { Json } from "../../pkg/api/json.ts";

/**
 * One request, the same for both servers but for what stands in for their own choices: {{rv}}, {{uid}}, {{name}} of the
 * object that was answered last, {{continue}} of the last list, {{ns}}, the namespace of the worker, and TOKEN.
 */
export interface Step {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** "admin", "anonymous", "nobody" (a token that nobody has), or whom the admin impersonates. */
  readonly user: string;
  readonly headers: Readonly<Record<string, string>>;
  /** A text is sent as it is. */
  readonly body?: unknown;
  /** The body is what was answered last with this merged into it. */
  readonly ontoLast?: boolean;
  /** What it does, as signatures name it: "create", "get as table". */
  readonly what: string;
  /** "Deployment", "Deployment/scale". */
  readonly kind: string;
}

/** Requests that belong together; nothing of one case depends on another. */
export interface Case {
  /** What chance began with: the same number, the same case. */
  readonly number: number;
  readonly steps: readonly Step[];
}

/** In the name of every object of a case; each run of a case has something unique in its place. */
export const TOKEN = "fz0";

/** A number as it is to be written, where JavaScript's would be another one. */
export function rawNumber(digits: string): string {
  return `⟦${digits}⟧`;
}

/** Goes to the end of a name to write a field twice. */
export const TWICE = "⟪twice⟫";

/** What a server chose itself, for the requests to come. */
export interface Choices {
  last: Json;
  rv: string;
  uid: string;
  name: string;
  continue: string;
}

export function noChoices(): Choices {
  return { last: {}, rv: "0", uid: "00000000-0000-4000-8000-000000000000", name: TOKEN, continue: "none" };
}

/** The text that is sent, with the choices of this server in it. */
export function rendered(text: string, choices: Choices, names: RunNames): string {
  return text
    .replaceAll("{{rv}}", choices.rv)
    .replaceAll("{{uid}}", choices.uid)
    .replaceAll("{{name}}", choices.name)
    .replaceAll("{{continue}}", choices.continue)
    .replaceAll("{{ns}}", names.namespace)
    .replaceAll(TOKEN, names.token);
}

const RUN = "zq";

/** What a run has in place of TOKEN. */
export function runToken(run: number): string {
  return RUN + run.toString(36).padStart(5, "0");
}

/** The path of the collection that has the object of a run. */
export function collectionOf(path: string): string {
  return path.replace(new RegExp(`/${RUN}[^/]*(?:/[a-z]+)?$`), "");
}

/** As JSON, with its marks taken for what they stand for. */
export function bodyText(body: unknown): string {
  if (typeof body === "string") return body;
  return JSON.stringify(body)
    .replaceAll(/"⟦([^"⟧]*)⟧"/g, "$1")
    .replaceAll(TWICE, "");
}

/** What is unique in one run of a case. */
export interface RunNames {
  readonly token: string;
  readonly namespace: string;
}
