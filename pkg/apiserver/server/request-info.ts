import { parseFieldSelector, requiredFieldValue } from "../../api/fields.ts";
import { parseInt64 } from "../../api/int64.ts";
import { SelectorError } from "../../api/labels.ts";
import { parseLabelSelector } from "../../api/labels-parse.ts";
import { pathSegment } from "../kinds/formats.ts";

/** What the path of a resource request says. */
export interface RequestInfo {
  readonly group: string;
  readonly version: string;
  readonly namespace: string;
  readonly plural: string;
  /** "" for the collection. */
  readonly name: string;
  /** "" for the main resource; may hold slashes (proxy paths). */
  readonly subresource: string;
  /** The old form /api/v1/watch/…: a watch even without the parameter. */
  readonly watchPath: boolean;
  /** The name is that of a field selector. */
  readonly bySelector?: true;
}

const namespaceSubresources = new Set(["status", "finalize"]);

/** Undefined for everything that is not below a group and version. */
export function parseResourcePath(path: string): RequestInfo | undefined {
  const parts = segments(path);
  if (parts === undefined) return undefined;
  const core = parts[0] === "api";
  if (!core && parts[0] !== "apis") return undefined;
  const group = core ? "" : (parts[1] ?? "");
  const version = parts[core ? 1 : 2];
  const rest = parts.slice(core ? 2 : 3);
  if (version === undefined || rest.length === 0) return undefined;
  const watchPath = rest[0] === "watch" && rest.length > 1;
  return { group, version, watchPath, ...parseRest(watchPath ? rest.slice(1) : rest) };
}

function parseRest(
  rest: readonly string[],
): Pick<RequestInfo, "namespace" | "plural" | "name" | "subresource"> {
  const [first = "", second = "", third = ""] = rest;
  if (first !== "namespaces") {
    return { namespace: "", plural: first, name: second, subresource: rest.slice(2).join("/") };
  }
  if (rest.length <= 2 || (rest.length === 3 && namespaceSubresources.has(third))) {
    return { namespace: "", plural: first, name: second, subresource: third };
  }
  return { namespace: second, plural: third, name: rest[3] ?? "", subresource: rest.slice(4).join("/") };
}

/** A list or watch of one name only is about that name: a role that names it allows that. */
export function namedBySelector(info: RequestInfo, verb: string, query: URLSearchParams): RequestInfo {
  if (info.name !== "" || (verb !== "list" && verb !== "watch") || !isReadable(query)) return info;
  const name = selectedName(query.get("fieldSelector") ?? "");
  return name === undefined || pathSegment(name).length > 0 ? info : { ...info, name, bySelector: true };
}

/** Options of which one cannot be read are not looked at. */
function isReadable(query: URLSearchParams): boolean {
  if (!isSelector(query.get("labelSelector") ?? "")) return false;
  return ["limit", "timeoutSeconds"].every((name) => {
    const value = query.get(name) ?? "";
    return value === "" || parseInt64(value) !== undefined;
  });
}

function isSelector(text: string): boolean {
  try {
    parseLabelSelector(text);
    return true;
  } catch (error) {
    if (error instanceof SelectorError) return false;
    throw error;
  }
}

function selectedName(fieldSelector: string): string | undefined {
  try {
    return requiredFieldValue(parseFieldSelector(fieldSelector), "metadata.name");
  } catch (error) {
    // What is wrong with it is told to those who may ask.
    if (error instanceof SelectorError) return undefined;
    throw error;
  }
}

function segments(path: string): string[] | undefined {
  try {
    return path
      .split("/")
      .filter((part) => part !== "")
      .map((part) => (part.includes("%") ? decodeURIComponent(part) : part));
  } catch {
    // A malformed escape names no resource; the caller answers 404.
    return undefined;
  }
}
