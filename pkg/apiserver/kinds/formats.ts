/** Formats of single values. Each check returns what is wrong, in the words that clients of the API know. */
import { maxSubdomainLength } from "../../api/names.ts";

const labelWithUnderscore = "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?";
const subdomainWithUnderscore = `${labelWithUnderscore}(\\.${labelWithUnderscore})*`;

const subdomainWithUnderscorePattern = new RegExp(`^${subdomainWithUnderscore}$`);

export function regexMessage(message: string, pattern: string, ...examples: readonly string[]): string {
  if (examples.length === 0) return `${message} (regex used for validation is '${pattern}')`;
  const quoted = examples.map((example) => `'${example}', `).join(" or ");
  return `${message} (e.g. ${quoted}regex used for validation is '${pattern}')`;
}

export function byteLength(value: string): number {
  return Buffer.byteLength(value);
}

export function rangeMessage(low: number, high: number): string {
  return `must be between ${low} and ${high}, inclusive`;
}

export function dns1123SubdomainWithUnderscore(value: string): string[] {
  const problems: string[] = [];
  if (byteLength(value) > 253) problems.push("must be no more than 253 characters");
  if (!subdomainWithUnderscorePattern.test(value)) {
    problems.push(
      regexMessage(
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character",
        subdomainWithUnderscore,
        "example.com",
      ),
    );
  }
  return problems;
}

/** A name that can be one segment of a URL path: RBAC objects. */
export function pathSegment(value: string): string[] {
  if (value === ".") return ["may not be '.'"];
  if (value === "..") return ["may not be '..'"];
  return pathSegmentPrefix(value);
}

export function pathSegmentPrefix(value: string): string[] {
  return ["/", "%"].filter((part) => value.includes(part)).map((part) => `may not contain '${part}'`);
}

export function portNumber(value: number): string[] {
  return value >= 1 && value <= 65535 ? [] : [rangeMessage(1, 65535)];
}

export function portName(value: string): string[] {
  const problems: string[] = [];
  if (byteLength(value) > 15) problems.push("must be no more than 15 characters");
  if (!/^[-a-z0-9]+$/.test(value)) {
    problems.push("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  }
  if (!/[a-z]/.test(value)) problems.push("must contain at least one letter (a-z)");
  if (value.includes("--")) problems.push("must not contain consecutive hyphens");
  if (/^-|-$/.test(value)) problems.push("must not begin or end with a hyphen");
  return problems;
}

export function percentage(value: string): string[] {
  if (/^[0-9]+%$/.test(value)) return [];
  const message = "a valid percent string must be a numeric string followed by an ending '%'";
  return [regexMessage(message, "[0-9]+%", "1%", "93%")];
}

const wildcard = String.raw`\*\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*`;
const wildcardPattern = new RegExp(`^${wildcard}$`);

/** A host that stands for all below a domain. */
export function wildcardProblems(value: string): string[] {
  const problems: string[] = [];
  if (byteLength(value) > 253) problems.push("must be no more than 253 characters");
  if (!wildcardPattern.test(value)) {
    const message =
      "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character";
    problems.push(regexMessage(message, wildcard, "*.example.com"));
  }
  return problems;
}

export function httpHeaderName(value: string): string[] {
  if (/^[-A-Za-z0-9]+$/.test(value)) return [];
  const message = "a valid HTTP header must consist of alphanumeric characters or '-'";
  return [regexMessage(message, "[-A-Za-z0-9]+", "X-Header-Name")];
}

export function environmentName(value: string): string[] {
  if (value === "") return ["environment variable name must be non-empty"];
  if (/^[ -<>-~]+$/.test(value)) return [];
  return ["a valid environment variable name must consist only of printable ASCII characters other than '='"];
}

/** A key of a ConfigMap or Secret. */
export function dataKey(value: string): string[] {
  const problems: string[] = [];
  if (byteLength(value) > 253) problems.push("must be no more than 253 characters");
  if (!/^[-._a-zA-Z0-9]+$/.test(value)) {
    const message = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'";
    problems.push(regexMessage(message, "[-._a-zA-Z0-9]+", "key.name", "KEY_NAME", "key-name"));
  }
  if (value === ".") problems.push("must not be '.'");
  else if (value === "..") problems.push("must not be '..'");
  else if (value.startsWith("..")) problems.push("must not start with '..'");
  return problems;
}

/** upstream: k8s.io/apimachinery/pkg/api/validate/content#IsDNS1123SubdomainCaseless */
export function caselessSubdomain(value: string): string[] {
  const problems =
    value.length > maxSubdomainLength ? [`must be no more than ${maxSubdomainLength} bytes`] : [];
  const part = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
  const pattern = `${part}(\\.${part})*`;
  const isPart = (each: string): boolean =>
    /^[-a-z0-9]+$/i.test(each) && !each.startsWith("-") && !each.endsWith("-");
  if (value.split(".").every(isPart)) return problems;
  const message =
    "an RFC 1123 subdomain must consist of alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";
  return [...problems, regexMessage(message, pattern, "Example.com")];
}

const urn = "urn:uuid:";

/** upstream: github.com/google/uuid#Validate: with and without hyphens, in braces or as a URN. */
export function uuidProblem(text: string): string | undefined {
  const { length } = text;
  if (length === 32) return /^[0-9a-f]{32}$/i.test(text) ? undefined : "invalid UUID format";
  if (length === 36 + urn.length && text.slice(0, urn.length).toLowerCase() !== urn)
    return `invalid urn prefix: ${JSON.stringify(text.slice(0, urn.length))}`;
  if (length === 38 && !/^\{.*\}$/.test(text)) return "invalid bracketed UUID format";
  if (![36, 38, 36 + urn.length].includes(length)) return `invalid UUID length: ${length}`;
  const plain = length === 38 ? text.slice(1, -1) : text.slice(-36);
  return /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(plain) ? undefined : "invalid UUID format";
}
