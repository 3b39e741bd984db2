/** Formats of single values. Each check returns what is wrong, in the words that clients of the API know. */

const label = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const labelWithUnderscore = "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?";
const subdomain = `${label}(\\.${label})*`;
const subdomainWithUnderscore = `${labelWithUnderscore}(\\.${labelWithUnderscore})*`;
const dns1035 = "[a-z]([-a-z0-9]*[a-z0-9])?";
const qualifiedPart = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";

const labelPattern = new RegExp(`^${label}$`);
const subdomainPattern = new RegExp(`^${subdomain}$`);
const subdomainWithUnderscorePattern = new RegExp(`^${subdomainWithUnderscore}$`);
const dns1035Pattern = new RegExp(`^${dns1035}$`);
const qualifiedPartPattern = new RegExp(`^${qualifiedPart}$`);
const labelValuePattern = new RegExp(`^(${qualifiedPart})?$`);

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

export function dns1123Label(value: string): string[] {
  const problems: string[] = [];
  if (byteLength(value) > 63) problems.push("must be no more than 63 characters");
  if (labelPattern.test(value)) return problems;
  problems.push(
    subdomainPattern.test(value)
      ? "must not contain dots"
      : regexMessage(
          "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
          label,
          "my-name",
          "123-abc",
        ),
  );
  return problems;
}

export function dns1123Subdomain(value: string): string[] {
  const problems: string[] = [];
  if (byteLength(value) > 253) problems.push("must be no more than 253 characters");
  if (!subdomainPattern.test(value)) {
    problems.push(
      regexMessage(
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
        subdomain,
        "example.com",
      ),
    );
  }
  return problems;
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

export function dns1035Label(value: string): string[] {
  const problems: string[] = [];
  if (byteLength(value) > 63) problems.push("must be no more than 63 characters");
  if (!dns1035Pattern.test(value)) {
    problems.push(
      regexMessage(
        "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
        dns1035,
        "my-name",
        "abc-123",
      ),
    );
  }
  return problems;
}

/** A name that can be one segment of a URL path: RBAC objects. */
export function pathSegment(value: string): string[] {
  if (value === ".") return ["may not be '.'"];
  if (value === "..") return ["may not be '..'"];
  return ["/", "%"].filter((part) => value.includes(part)).map((part) => `may not contain '${part}'`);
}

/** A label key, finalizer or condition type: `[prefix/]name`. */
export function qualifiedName(value: string): string[] {
  const message =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
  const examples = ["MyName", "my.name", "123-abc"];
  const parts = value.split("/");
  const problems: string[] = [];
  const name = parts[parts.length - 1] ?? "";
  if (parts.length > 2) {
    const explained = regexMessage(message, qualifiedPart, ...examples);
    return [
      `a valid label key ${explained} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  if (parts.length === 2) {
    const prefix = parts[0] ?? "";
    if (prefix === "") problems.push("prefix part must be non-empty");
    else for (const problem of dns1123Subdomain(prefix)) problems.push(`prefix part ${problem}`);
  }
  if (name === "") problems.push("name part must be non-empty");
  else if (byteLength(name) > 63) problems.push("name part must be no more than 63 bytes");
  if (!qualifiedPartPattern.test(name)) {
    problems.push(`name part ${regexMessage(message, qualifiedPart, ...examples)}`);
  }
  return problems;
}

export function labelValue(value: string): string[] {
  const problems: string[] = [];
  if (byteLength(value) > 63) problems.push("must be no more than 63 bytes");
  if (!labelValuePattern.test(value)) {
    problems.push(
      regexMessage(
        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
        `(${qualifiedPart})?`,
        "MyValue",
        "my_value",
        "12345",
      ),
    );
  }
  return problems;
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
