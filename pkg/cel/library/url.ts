import { type FunctionOverload, overload } from "../declarations.ts";
import { structType } from "../types.ts";
import { ArrayList, EntryMap, EvaluationError, type OpaqueValue, type Value } from "../values.ts";
import { asInstance, asText } from "./arguments.ts";

interface Parts {
  readonly scheme: string;
  readonly host: string;
  readonly path: string;
  readonly query: string;
}

const type = structType("kubernetes.URL");

export class UrlValue implements OpaqueValue {
  readonly kind = "opaque";
  readonly type = type;

  readonly text: string;
  readonly parts: Parts;

  constructor(text: string, parts: Parts) {
    this.text = text;
    this.parts = parts;
  }

  equals(other: OpaqueValue): boolean {
    return other instanceof UrlValue && other.text === this.text;
  }

  get hostname(): string {
    const { host } = this.parts;
    const bracketed = /^\[(?<inner>[^\]]*)\]/.exec(host)?.groups?.["inner"];
    return bracketed ?? host.replace(/:\d*$/, "");
  }

  get port(): string {
    return /:(?<port>\d*)$/.exec(this.parts.host)?.groups?.["port"] ?? "";
  }
}

/** The parts of an absolute URL or path, or what Go says of what is neither. */
function parseUrl(text: string): Parts | string {
  const problem = (what: string): string => `parse ${JSON.stringify(text)}: ${what}`;
  if (text === "") return problem("empty url");
  // eslint-disable-next-line no-control-regex
  if (/[\u0000-\u001F\u007F]/.test(text)) return problem("net/url: invalid control character in URL");
  const scheme = /^(?<scheme>[a-zA-Z][a-zA-Z0-9+.-]*):/.exec(text)?.groups?.["scheme"];
  if (scheme === undefined && text.startsWith(":")) return problem("missing protocol scheme");
  const [rest, query] = splitAt(text.slice(scheme === undefined ? 0 : scheme.length + 1), "?");
  if (!rest.startsWith("/")) {
    if (scheme === undefined) return problem("invalid URI for request");
    return { scheme: scheme.toLowerCase(), host: "", path: "", query };
  }
  const hasHost = scheme !== undefined && rest.startsWith("//");
  const [authority, path] = hasHost ? splitBefore(rest.slice(2), "/") : (["", rest] as const);
  const host = authority.slice(authority.lastIndexOf("@") + 1);
  const port = /^(?:\[[^\]]*\]|[^:]*)(?<port>:.*)?$/.exec(host)?.groups?.["port"];
  if (port !== undefined && !/^:\d*$/.test(port))
    return problem(`invalid port ${JSON.stringify(port)} after host`);
  if (host.startsWith("[") && !host.includes("]")) return problem("missing ']' in host");
  if (/[ <>"]/.test(host))
    return problem(`invalid character ${JSON.stringify(/[ <>"]/.exec(host)?.[0])} in host name`);
  const escape = /%(?![0-9a-fA-F]{2}).{0,2}/.exec(path)?.[0];
  if (escape !== undefined) return problem(`invalid URL escape ${JSON.stringify(escape)}`);
  return { scheme: (scheme ?? "").toLowerCase(), host, path, query };
}

function splitAt(text: string, mark: string): readonly [string, string] {
  const at = text.indexOf(mark);
  return at === -1 ? [text, ""] : [text.slice(0, at), text.slice(at + mark.length)];
}

function splitBefore(text: string, mark: string): readonly [string, string] {
  const at = text.indexOf(mark);
  return at === -1 ? [text, ""] : [text.slice(0, at), text.slice(at)];
}

function toUrl(value: Value | undefined): UrlValue {
  const text = asText(value);
  const refused = parseUrl(text);
  if (typeof refused === "string")
    throw new EvaluationError(`URL parse error during conversion from string: ${refused}`);
  // A fragment belongs to neither path nor query, though the check above takes it for a part of them.
  const parts = parseUrl(splitAt(text, "#")[0]);
  return new UrlValue(text, typeof parts === "string" ? refused : parts);
}

function queryOf(query: string): EntryMap {
  const values = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(query)) {
    const known = values.get(name);
    if (known === undefined) values.set(name, [value]);
    else known.push(value);
  }
  return new EntryMap([...values].map(([name, each]) => [name, new ArrayList(each)]));
}

/** As Go would write it: what it need not escape, it leaves. */
const escapedPath = (path: string): string =>
  path.replaceAll(/[^A-Za-z0-9\-_.~$&+,/:;=@%!'()*[\]]/gu, (letter) => encodeURIComponent(letter));

const part =
  (read: (url: UrlValue) => Value) =>
  (url: Value | undefined): Value =>
    read(asInstance(url, UrlValue));

export const urlOverloads: readonly FunctionOverload[] = [
  overload("string_to_url", "url(string): kubernetes.URL", toUrl),
  overload("is_url_string", "isURL(string): bool", (text) => typeof parseUrl(asText(text)) !== "string"),
  overload(
    "url_get_scheme",
    "(kubernetes.URL).getScheme(): string",
    part(({ parts }) => parts.scheme),
  ),
  overload(
    "url_get_host",
    "(kubernetes.URL).getHost(): string",
    part(({ parts }) => parts.host),
  ),
  overload(
    "url_get_hostname",
    "(kubernetes.URL).getHostname(): string",
    part(({ hostname }) => hostname),
  ),
  overload(
    "url_get_port",
    "(kubernetes.URL).getPort(): string",
    part(({ port }) => port),
  ),
  overload(
    "url_get_escaped_path",
    "(kubernetes.URL).getEscapedPath(): string",
    part(({ parts }) => escapedPath(parts.path)),
  ),
  overload(
    "url_get_query",
    "(kubernetes.URL).getQuery(): map(string, list(string))",
    part(({ parts }) => queryOf(parts.query)),
  ),
];

/** What is wrong with a text that should be an absolute URL or path. */
export function uriProblem(text: string): readonly string[] {
  const parts = parseUrl(text);
  return typeof parts === "string" ? [parts] : [];
}
