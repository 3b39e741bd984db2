import { quotedAsInGo } from "../../api/go-quote.ts";
import { type FunctionOverload, overload } from "../declarations.ts";
import { structType } from "../types.ts";
import { ArrayList, EntryMap, EvaluationError, type OpaqueValue, type Value } from "../values.ts";
import { parseAddress } from "./address.ts";
import { asInstance, asText } from "./arguments.ts";
import { cut } from "./cut.ts";

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

/** What may stand in a host, besides letters beyond ASCII. */
const inHosts = /[^A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"%\u0080-\u{10FFFF}]/u;

/** upstream: net/url#parseHost */
function problemOfHost(scheme: string, host: string): string | undefined {
  const bracket = host.lastIndexOf("[");
  if (bracket > 0) return "invalid IP-literal";
  const closing = host.lastIndexOf("]");
  if (bracket === 0 && closing === -1) return "missing ']' in host";
  const isStrict = scheme === "http" || scheme === "https";
  const colon = isStrict ? host.indexOf(":") : host.lastIndexOf(":");
  const port = bracket === 0 ? host.slice(closing + 1) : colon === -1 ? "" : host.slice(colon);
  if (!/^(?::\d*)?$/.test(port)) return `invalid port ${quotedAsInGo(port)} after host`;
  const name = bracket === 0 ? host.slice(1, closing) : host;
  const [plain] = cut(name, "%25");
  const escape = /%(?![89a-f][0-9a-f]).{0,2}/i.exec(bracket === 0 ? plain : name)?.[0];
  if (escape !== undefined && escape !== "%25") return `invalid URL escape ${quotedAsInGo(escape)}`;
  const letter = inHosts.exec(plain)?.[0];
  if (letter !== undefined) return `invalid character ${quotedAsInGo(letter)} in host name`;
  if (bracket !== 0) return undefined;
  const address = parseAddress(name.replace("%25", "%"));
  if (typeof address === "string") return `invalid host: ${address}`;
  return address.size === 4 ? "invalid IP-literal" : undefined;
}

/**
 * The parts of an absolute URL or path, or what Go says of what is neither. Two slashes begin a host where there is a
 * scheme, and otherwise only if it may be `relative` to one.
 *
 * upstream: net/url#ParseRequestURI, and #Parse of what that has taken
 */
function parseUrl(text: string, relative = false): Parts | string {
  const problem = (what: string): string => `parse ${quotedAsInGo(text)}: ${what}`;
  if (text === "") return problem("empty url");
  // eslint-disable-next-line no-control-regex
  if (/[\u0000-\u001F\u007F]/.test(text)) return problem("net/url: invalid control character in URL");
  if (text === "*") return { scheme: "", host: "", path: "*", query: "" };
  const scheme = /^(?<scheme>[a-zA-Z][a-zA-Z0-9+.-]*):/.exec(text)?.groups?.["scheme"]?.toLowerCase();
  if (scheme === undefined && text.startsWith(":")) return problem("missing protocol scheme");
  const [rest, query = ""] = cut(text.slice(scheme === undefined ? 0 : scheme.length + 1), "?");
  if (!rest.startsWith("/")) {
    if (scheme === undefined) return problem("invalid URI for request");
    return { scheme, host: "", path: "", query };
  }
  const hasHost = rest.startsWith("//") && (scheme !== undefined || (relative && !rest.startsWith("///")));
  const [authority, path] = hasHost ? splitBefore(rest.slice(2), "/") : (["", rest] as const);
  const at = authority.lastIndexOf("@");
  const host = authority.slice(at + 1);
  const wrong = problemOfHost(scheme ?? "", host);
  if (wrong !== undefined) return problem(wrong);
  if (!/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(authority.slice(0, Math.max(at, 0))))
    return problem("net/url: invalid userinfo");
  const escape = /%(?![0-9a-fA-F]{2}).{0,2}/.exec(path)?.[0];
  if (escape !== undefined) return problem(`invalid URL escape ${quotedAsInGo(escape)}`);
  return { scheme: scheme ?? "", host: decoded(host), path, query };
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
  const parts = parseUrl(cut(text, "#")[0], true);
  if (typeof parts === "string")
    throw new EvaluationError(`URL parse error during conversion from string: ${parts}`);
  return new UrlValue(text, parts);
}

/** With the bytes that stand for themselves where they are escaped. */
const decoded = (text: string): string =>
  text.replaceAll(/(?:%[0-9a-f]{2})+/gi, (escapes) =>
    Buffer.from(escapes.replaceAll("%", ""), "hex").toString(),
  );

function nameAndValue(pair: string): readonly [string, string] {
  const [name, value = ""] = cut(pair, "=");
  return [decoded(name), decoded(value)];
}

/** upstream: net/url#ParseQuery: what cannot be read is left out. */
function queryOf(query: string): EntryMap {
  const values = new Map<string, string[]>();
  for (const pair of query.split("&")) {
    if (pair === "" || pair.includes(";") || /%(?![0-9a-f]{2})/i.test(pair)) continue;
    const [name, value] = nameAndValue(pair.replaceAll("+", " "));
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
