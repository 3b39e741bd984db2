import { isDeepStrictEqual } from "node:util";
import { dump, load } from "js-yaml";
import { StartError } from "../../../pkg/manager/start-error.ts";
import { type AccessEntries, contextOf, type NamedEntry } from "./access.ts";

type Document = Readonly<Record<string, unknown>>;

const lists = ["clusters", "contexts", "users"] as const;
const CURRENT = "current-context";
/** What kubectl carries along with entries without looking at it; by this kcm knows its own. */
const EXTENSION = "kcm";
export const ownMark = { extensions: [{ name: EXTENSION, extension: { writtenBy: "kcm up" } }] };

/** The text of a kubeconfig, with a cluster added or replaced. Which context is the current one is the user's affair. */
export function withEntries(text: string, entries: AccessEntries): string {
  const document = parse(text);
  const merged: Record<string, unknown> = { apiVersion: "v1", kind: "Config", ...document };
  for (const list of lists) {
    const others = entriesOf(document, list).filter(({ name }) => name !== entries[list].name);
    merged[list] = [...others, entries[list]];
  }
  if (!merged[CURRENT]) merged[CURRENT] = entries.contexts.name;
  return write(merged);
}

/** The text without this cluster; undefined when there is nothing of it. Only what kcm has written is taken out. */
export function withoutEntries(text: string, clusterName: string): string | undefined {
  const name = contextOf(clusterName);
  const document = parse(text);
  const left: Record<string, unknown> = { ...document };
  let isThere = false;
  for (const list of lists) {
    const all = entriesOf(document, list);
    const others = all.filter((entry) => entry.name !== name || !isOurs(entry));
    if (others.length === all.length) continue;
    left[list] = others;
    isThere = true;
  }
  if (!isThere) return undefined;
  if (left[CURRENT] === name) left[CURRENT] = "";
  return write(left);
}

/** Throws a StartError for a text that is no kubeconfig, or has an entry of that name that is somebody else's. */
export function checkMergeable(text: string, clusterName: string): void {
  const document = parse(text);
  const name = contextOf(clusterName);
  for (const list of lists) {
    if (entriesOf(document, list).some((entry) => entry.name === name && !isOurs(entry))) {
      throw new StartError(
        `${name} in its ${list} is not from kcm; --name NAME gives the cluster another one`,
      );
    }
  }
}

function isOurs(entry: NamedEntry): boolean {
  const body = entry["cluster"] ?? entry["context"] ?? entry["user"];
  const extensions = isRecord(body) ? body["extensions"] : undefined;
  return Array.isArray(extensions) && extensions.some((item) => isRecord(item) && item["name"] === EXTENSION);
}

function parse(text: string): Document {
  let document: unknown;
  try {
    document = text.trim() === "" ? {} : load(text);
  } catch (error) {
    throw new StartError("it is not YAML", error);
  }
  if (document === null || document === undefined) return {};
  if (!isRecord(document)) throw new StartError("it does not hold one object");
  return document;
}

function entriesOf(document: Document, list: (typeof lists)[number]): readonly NamedEntry[] {
  const entries = document[list] ?? [];
  if (
    !Array.isArray(entries) ||
    !entries.every((entry) => isRecord(entry) && typeof entry["name"] === "string")
  )
    throw new StartError(`its ${list} are not a list of named entries`);
  return entries as readonly NamedEntry[];
}

function write(document: Document): string {
  const text = dump(document, { quoteStyle: "double", lineWidth: -1, noRefs: true });
  // Numbers beyond what JavaScript can hold, for example, would come out otherwise than they went in.
  if (!isDeepStrictEqual(parse(text), document) || hasInexactNumber(document))
    throw new StartError("something in it would not survive being written again");
  return text;
}

function hasInexactNumber(value: unknown): boolean {
  if (typeof value === "number") return !Number.isSafeInteger(value) && Number.isInteger(value);
  if (typeof value !== "object" || value === null) return false;
  return Object.values(value).some(hasInexactNumber);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
