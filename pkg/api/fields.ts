import { SelectorError } from "./labels.ts";

export type Fields = Readonly<Record<string, string>>;

export interface FieldRequirement {
  readonly field: string;
  readonly operator: "=" | "!=";
  readonly value: string;
}

/** A parsed field selector. Which fields an object offers is the resource's own affair. */
export interface FieldSelector {
  readonly requirements: readonly FieldRequirement[];
  readonly empty: boolean;
  /** A field that the object does not offer counts as the empty string. */
  matches(fields: Fields): boolean;
  /** The form that the `fieldSelector` query parameter takes. */
  toString(): string;
}

/** `!=` first and `==` before `=`, so that no operator is taken for the beginning of a value. */
const operators = ["!=", "==", "="] as const;

/** Parses the `fieldSelector` query parameter; throws a SelectorError. The empty string selects everything. */
export function parseFieldSelector(text: string): FieldSelector {
  const terms = splitTerms(text).filter((term) => term !== "");
  const requirements = terms.sort().map((term) => {
    const requirement = parseTerm(term);
    if (requirement === undefined) {
      throw new SelectorError(`invalid selector: '${text}'; can't understand '${term}'`);
    }
    return requirement;
  });
  // upstream: pkg/fields/selector.go#Transform, where a term without a field and a value selects everything.
  return selectorFromFieldRequirements(requirements.filter(({ field, value }) => field + value !== ""));
}

export function selectorFromFields(fields: Fields): FieldSelector {
  return selectorFromFieldRequirements(
    Object.entries(fields).map(([field, value]) => ({ field, operator: "=", value })),
  );
}

export function selectorFromFieldRequirements(requirements: readonly FieldRequirement[]): FieldSelector {
  return {
    requirements,
    empty: requirements.length === 0,
    matches: (fields) =>
      requirements.every(({ field, operator, value }) => {
        const actual = Object.hasOwn(fields, field) ? fields[field] : "";
        return (actual === value) === (operator === "=");
      }),
    toString: () =>
      requirements
        .map(({ field, operator, value }) => `${field}${operator}${escapeFieldValue(value)}`)
        .join(","),
  };
}

/** The value that the selector demands of one field, when it demands one. */
export function requiredFieldValue(selector: FieldSelector, field: string): string | undefined {
  return selector.requirements.find((one) => one.field === field && one.operator === "=")?.value;
}

export function escapeFieldValue(value: string): string {
  return value.replaceAll(/[\\,=]/g, String.raw`\$&`);
}

/** Splits at commas that no backslash escapes; the backslashes stay. */
function splitTerms(text: string): string[] {
  const terms: string[] = [];
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === ",") {
      terms.push(text.slice(start, at));
      start = at + 1;
    }
  }
  terms.push(text.slice(start));
  return terms;
}

function parseTerm(term: string): FieldRequirement | undefined {
  for (let at = 0; at < term.length; at++) {
    const operator = operators.find((candidate) => term.startsWith(candidate, at));
    if (operator === undefined) continue;
    const value = unescapeFieldValue(term.slice(at + operator.length));
    return { field: term.slice(0, at), operator: operator === "!=" ? "!=" : "=", value };
  }
  return undefined;
}

function unescapeFieldValue(escaped: string): string {
  let value = "";
  for (let at = 0; at < escaped.length; at++) {
    let character = escaped.charAt(at);
    if (character === "\\") {
      at++;
      character = escaped.charAt(at);
      if (character === "" || !"\\,=".includes(character)) {
        throw new SelectorError(`invalid field selector: invalid escape sequence: \\${character}`);
      }
    } else if (character === "," || character === "=") {
      throw new SelectorError(
        `invalid field selector: unescaped character in value: ${character.charCodeAt(0)}`,
      );
    }
    value += character;
  }
  return value;
}
