const labelName = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const labelValue = `(${labelName})?`;
const dnsLabel = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const dnsSubdomain = `${dnsLabel}(\\.${dnsLabel})*`;

// Without the m flag, $ in JavaScript matches only at the very end, as in Go.
const labelNamePattern = new RegExp(`^${labelName}$`);
const labelValuePattern = new RegExp(`^${labelValue}$`);
const dnsSubdomainPattern = new RegExp(`^${dnsSubdomain}$`);

const nameProblem =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character " +
  `(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '${labelName}')`;
const valueProblem =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and " +
  `end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '${labelValue}')`;
const prefixProblem =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and " +
  `end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${dnsSubdomain}')`;

/** What is wrong with a label (or annotation, taint, node selector) key; empty when it is valid. */
export function labelKeyProblems(key: string): readonly string[] {
  const parts = key.split("/");
  if (parts.length > 2) {
    return [
      `a valid label key ${nameProblem} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const problems: string[] = [];
  const name = parts.at(-1) ?? "";
  if (parts.length === 2) problems.push(...prefixProblems(parts[0] ?? ""));
  if (name === "") problems.push("name part must be non-empty");
  else if (byteLength(name) > 63) problems.push("name part must be no more than 63 bytes");
  if (!labelNamePattern.test(name)) problems.push(`name part ${nameProblem}`);
  return problems;
}

/** What is wrong with a label value; empty when it is valid. */
export function labelValueProblems(value: string): readonly string[] {
  const problems: string[] = [];
  if (byteLength(value) > 63) problems.push("must be no more than 63 bytes");
  if (!labelValuePattern.test(value)) problems.push(valueProblem);
  return problems;
}

function prefixProblems(prefix: string): readonly string[] {
  if (prefix === "") return ["prefix part must be non-empty"];
  const problems: string[] = [];
  if (byteLength(prefix) > 253) problems.push("prefix part must be no more than 253 bytes");
  if (!dnsSubdomainPattern.test(prefix)) problems.push(`prefix part ${prefixProblem}`);
  return problems;
}

function byteLength(text: string): number {
  return Buffer.byteLength(text, "utf8");
}
