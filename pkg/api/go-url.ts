import { isIPv4, isIPv6 } from "node:net";

/** A URL as Go takes it apart; texts are of one character a byte. */
export interface GoUrl {
  readonly scheme: string;
  readonly opaque: string;
  /** As it is written, where somebody is named at all. */
  readonly user: string | undefined;
  readonly host: string;
  /** Whether a host could have been named, and was not. */
  readonly hasNoHost: boolean;
  /** As it is written. */
  readonly path: string;
  /** With its question mark; "" when there is none. */
  readonly query: string;
  /** As it is written. */
  readonly fragment: string;
}

const LETTERS_AND_MARKS = "A-Za-z0-9\\-_.~";
/** What Go leaves as it is when it writes a part. upstream: net/url/encoding_table.go */
const PLAIN = {
  path: new RegExp(`[${LETTERS_AND_MARKS}$&+,/:;=@]`),
  user: new RegExp(`[${LETTERS_AND_MARKS}$&+,;=]`),
  host: new RegExp(`[${LETTERS_AND_MARKS}!$&'()*+,;=:\\[\\]<>"]`),
  fragment: new RegExp(`[${LETTERS_AND_MARKS}$&+,/:;=?@!()*]`),
} as const;
/** Written by others, and left as it is. upstream: net/url/url.go#validEncoded */
const ALSO_VALID = /[!$&'()*+,;=:@[\]%]/;

type Part = keyof typeof PLAIN;

class UrlError extends Error {}

/** Undefined for what Go does not take. upstream: net/url/url.go#Parse */
export function parseGoUrl(text: string): GoUrl | undefined {
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof UrlError) return undefined;
    throw error;
  }
}

/** As Go writes it, which is not always as it was. upstream: net/url/url.go#String */
export function formatGoUrl(url: GoUrl): string {
  const { scheme, opaque, user, host } = url;
  let text = scheme === "" ? "" : `${scheme}:`;
  if (opaque === "") {
    const path = written(url.path, "path");
    const names = scheme !== "" || host !== "" || user !== undefined;
    const omits = url.hasNoHost && host === "" && user === undefined;
    if (names && !omits) {
      if (host !== "" || path !== "" || user !== undefined) text += "//";
      if (user !== undefined) text += `${userText(user)}@`;
      text += escapeBytes(host, "host");
    }
    if (path !== "" && !path.startsWith("/") && host !== "") text += "/";
    if (text === "" && firstSegment(path).includes(":")) text += "./";
    text += path;
  } else text += opaque;
  const fragment = written(url.fragment, "fragment");
  return text + url.query + (fragment === "" ? "" : `#${fragment}`);
}

function parse(whole: string): GoUrl {
  const [text, fragment] = cut(whole, "#");
  // eslint-disable-next-line no-control-regex
  if (/[\u0000-\u001F\u007F]/.test(text)) throw new UrlError("a control character");
  unescape(fragment, "fragment");
  const empty = { scheme: "", opaque: "", user: undefined, host: "", hasNoHost: false, query: "", fragment };
  if (text === "*") return { ...empty, path: "*" };
  const scheme = /^[A-Za-z][A-Za-z0-9+.-]*(?=:)/.exec(text)?.[0] ?? "";
  if (text.startsWith(":")) throw new UrlError("no scheme");
  const behind = scheme === "" ? text : text.slice(scheme.length + 1);
  const [rest, asked] = cut(behind, "?");
  // A lonely question mark is kept.
  const query = asked !== "" || behind.length > rest.length ? `?${asked}` : "";
  const url = { ...empty, scheme: scheme.toLowerCase(), query };
  if (!rest.startsWith("/")) {
    if (scheme !== "") return { ...url, opaque: rest, path: "" };
    if (firstSegment(rest).includes(":")) throw new UrlError("a colon in the first segment");
  }
  if (!rest.startsWith("//") || (scheme === "" && rest.startsWith("///"))) {
    unescape(rest, "path");
    return { ...url, hasNoHost: scheme !== "" && rest.startsWith("/"), path: rest };
  }
  const slash = rest.indexOf("/", 2);
  const authority = slash === -1 ? rest.slice(2) : rest.slice(2, slash);
  const path = slash === -1 ? "" : rest.slice(slash);
  unescape(path, "path");
  return { ...url, ...authorityOf(authority, url.scheme), path };
}

function authorityOf(authority: string, scheme: string): Pick<GoUrl, "user" | "host"> {
  const at = authority.lastIndexOf("@");
  const host = hostOf(authority.slice(at + 1), scheme);
  if (at === -1) return { user: undefined, host };
  const user = authority.slice(0, at);
  if (!/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(user)) throw new UrlError("user");
  unescape(user, "user");
  return { user, host };
}

function hostOf(host: string, scheme: string): string {
  const open = host.lastIndexOf("[");
  if (open > 0) throw new UrlError("an address within a name");
  if (open === -1) {
    const first = host.indexOf(":");
    const isStrict = scheme === "http" || scheme === "https";
    if (first !== -1) checkPort(host.slice(isStrict ? first : host.lastIndexOf(":")));
    return unescape(host, "host");
  }
  const close = host.lastIndexOf("]");
  if (close === -1) throw new UrlError("no end of an address");
  const port = host.slice(close + 1);
  checkPort(port);
  const inner = host.slice(1, close);
  const zone = inner.indexOf("%25");
  const address =
    zone === -1
      ? unescape(inner, "host")
      : unescape(inner.slice(0, zone), "host") + unescape(inner.slice(zone), "zone");
  if (isIPv4(address) || !isIPv6(address)) throw new UrlError("no address");
  return `[${address}]${port}`;
}

function checkPort(port: string): void {
  if (!/^(:\d*)?$/.test(port)) throw new UrlError("port");
}

function unescape(text: string, part: Part | "zone"): string {
  const isHost = part === "host" || part === "zone";
  return text.replaceAll(/%[0-9A-Fa-f]{2}|%|[^%]/gsu, (found) => {
    if (!found.startsWith("%")) {
      if (isHost && found < "\u0080" && !PLAIN.host.test(found)) throw new UrlError("a character of a host");
      return found;
    }
    if (found === "%") throw new UrlError("an escape");
    const letter = String.fromCharCode(parseInt(found.slice(1), 16));
    if (part === "host" && letter < "\u0080" && letter !== "%") throw new UrlError("an escape in a host");
    const isPlainInZone = letter === "%" || letter === " " || PLAIN.host.test(letter);
    if (part === "zone" && !isPlainInZone) throw new UrlError("an escape in a zone");
    return letter;
  });
}

function escapeBytes(text: string, part: Part): string {
  const plain = PLAIN[part];
  return text.replaceAll(/./gsu, (letter) => (plain.test(letter) ? letter : hex(letter)));
}

function hex(letter: string): string {
  return `%${(letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(2, "0")}`;
}

/** A path or a fragment that others have escaped in a way that is good stays as it is. */
function written(raw: string, part: "path" | "fragment"): string {
  if (part === "path" && raw === "*") return raw;
  const isValid = Array.from(raw).every((letter) => PLAIN[part].test(letter) || ALSO_VALID.test(letter));
  return isValid ? raw : escapeBytes(unescape(raw, part), part);
}

function userText(user: string): string {
  const colon = user.indexOf(":");
  const escaped = (text: string): string => escapeBytes(unescape(text, "user"), "user");
  if (colon === -1) return escaped(user);
  return `${escaped(user.slice(0, colon))}:${escaped(user.slice(colon + 1))}`;
}

function firstSegment(path: string): string {
  return cut(path, "/")[0];
}

function cut(text: string, mark: string): readonly [before: string, after: string] {
  const at = text.indexOf(mark);
  return at === -1 ? [text, ""] : [text.slice(0, at), text.slice(at + mark.length)];
}
