const REDACTED = "[REDACTED]";

/** Compared in lower case and without "-" and "_", so that clientKeyData and client-key-data are one. */
const secretKeys: ReadonlySet<string> = new Set([
  "token",
  "bearertoken",
  "idtoken",
  "accesstoken",
  "refreshtoken",
  "authorization",
  "proxyauthorization",
  "password",
  "clientkeydata",
  "privatekey",
  "clientsecret",
]);

/** Deeper structures are cut: a log line is no dump, and a cycle must end. */
const DEEPEST = 6;

/** A copy of a value for the log in which nothing secret is left. */
export function redact(value: unknown, depth = 0): unknown {
  if (typeof value === "string") return redactText(value);
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Error) return describeError(value);
  if (depth >= DEEPEST) return "[...]";
  if (Array.isArray(value)) return value.map((item) => redact(item, depth + 1));
  if (value instanceof Map) return redact(Object.fromEntries(value), depth);
  if (value instanceof Set) return redact([...value], depth);
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  const isSecret = "kind" in value && value.kind === "Secret";
  const copy: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) {
    copy[key] = redactEntry(key, item, isSecret, depth);
  }
  return copy;
}

function redactEntry(key: string, item: unknown, ofSecret: boolean, depth: number): unknown {
  if (ofSecret && (key === "data" || key === "stringData")) return redactValues(item);
  if (isSecretKey(key) && item !== undefined && item !== "") return REDACTED;
  return redact(item, depth + 1);
}

/** The keys of a Secret's data are not secret and tell much; the values are. */
function redactValues(data: unknown): unknown {
  if (typeof data !== "object" || data === null) return REDACTED;
  return Object.fromEntries(Object.keys(data).map((key) => [key, REDACTED]));
}

function isSecretKey(key: string): boolean {
  return secretKeys.has(key.replaceAll(/[-_]/g, "").toLowerCase());
}

/** Credentials that slipped into a text: Authorization values and PEM private keys. */
export function redactText(text: string): string {
  if (!text.includes("earer ") && !text.includes("PRIVATE KEY")) return text;
  return text
    .replaceAll(/\b([Bb]earer) +[\w.~+/=-]+/g, `$1 ${REDACTED}`)
    .replaceAll(/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(-----END [A-Z ]*PRIVATE KEY-----|$)/g, REDACTED);
}

/** The message with those of its causes. */
export function describeError(error: unknown): string {
  const parts: string[] = [];
  let current: unknown = error;
  while (current instanceof Error && parts.length < DEEPEST) {
    const text = current.message === "" ? current.name : current.message;
    if (!parts.some((part) => part.includes(text))) parts.push(text);
    current = current.cause;
  }
  if (parts.length === 0)
    parts.push(typeof error === "string" ? error : (JSON.stringify(redact(error)) ?? "undefined"));
  return redactText(parts.join(": "));
}
