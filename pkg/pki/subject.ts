import { sortInSteps, type Steps, STEP } from "../api/steps.ts";
import { objectIdentifier, sequence, set, setOf, text as textElement } from "./der.ts";
import {
  BIT_STRING,
  BOOLEAN,
  checkObjectIdentifier,
  ElementReader,
  type Element,
  INTEGER,
  malformed,
  OBJECT_IDENTIFIER,
  SEQUENCE,
  SET,
} from "./der-reader.ts";
import { checkBits, checkInteger, checkTime, stringOf } from "./asn1-values.ts";

/** Attributes of a name that Kubernetes and Go know, in the order in which Go writes them. Of the last two there is one. */
const ATTRIBUTES = [
  ["countries", "2.5.4.6"],
  ["provinces", "2.5.4.8"],
  ["localities", "2.5.4.7"],
  ["streets", "2.5.4.9"],
  ["postalCodes", "2.5.4.17"],
  ["organizations", "2.5.4.10"],
  ["units", "2.5.4.11"],
] as const;
const COMMON_NAME = "2.5.4.3";
const SERIAL_NUMBER = "2.5.4.5";

export type SubjectName = Readonly<
  Record<(typeof ATTRIBUTES)[number][0] | "commonNames" | "serialNumbers", readonly string[]>
>;

const FIELD_OF: ReadonlyMap<string, keyof SubjectName> = new Map(
  [...ATTRIBUTES, ["commonNames", COMMON_NAME] as const, ["serialNumbers", SERIAL_NUMBER] as const].map(
    ([name, identifier]) => [objectIdentifier(identifier).subarray(2).toString("hex"), name],
  ),
);

/** Of common names and serial numbers, which are no lists, the last one counts. */
export function lastOf(values: readonly string[]): string {
  return values.at(-1) ?? "";
}

/** Reads a distinguished name as Go does: unknown attributes are passed over, wrong ones are not. */
export function* readSubject(raw: Buffer): Steps<SubjectName> {
  const outer = new ElementReader(raw);
  const sets = new ElementReader(outer.read(SEQUENCE).content);
  if (!outer.isAtEnd) throw malformed();
  const found = new Map<string, string[]>();
  let count = 0;
  while (!sets.isAtEnd) {
    const attributes = new ElementReader(sets.read(SET).content);
    while (!attributes.isAtEnd) {
      readAttribute(attributes.read(SEQUENCE), found);
      count++;
      if (count % STEP === 0) yield;
    }
    count++;
    if (count % STEP === 0) yield;
  }
  const of = (name: keyof SubjectName): readonly string[] => found.get(name) ?? [];
  return {
    countries: of("countries"),
    provinces: of("provinces"),
    localities: of("localities"),
    streets: of("streets"),
    postalCodes: of("postalCodes"),
    organizations: of("organizations"),
    units: of("units"),
    commonNames: of("commonNames"),
    serialNumbers: of("serialNumbers"),
  };
}

function readAttribute({ content }: Element, found: Map<string, string[]>): void {
  const reader = new ElementReader(content);
  const type = reader.read(OBJECT_IDENTIFIER).content;
  checkObjectIdentifier(type);
  const value = attributeValue(reader.next());
  const name = FIELD_OF.get(type.toString("hex"));
  if (name === undefined || value === undefined) return;
  const known = found.get(name);
  if (known === undefined) found.set(name, [value]);
  else known.push(value);
}

/** The text; undefined where the value is none. Values of types that are known must be good ones, whatever they are for. */
function attributeValue({ tag, content }: Element): string | undefined {
  if (tag === BOOLEAN && !(content.length === 1 && (content[0] === 0 || content[0] === 0xff)))
    throw malformed();
  if (tag === INTEGER) checkInteger(content, 8);
  if (tag === BIT_STRING) checkBits(content);
  if (tag === OBJECT_IDENTIFIER) checkObjectIdentifier(content);
  checkTime(tag, content);
  return stringOf(tag, content);
}

/** Writes a name as Go does: what is of one type is one set, whose elements are in the order of their bytes. */
export function* writeSubject(name: SubjectName): Steps<Buffer> {
  const sets: Buffer[] = [];
  for (const [key, identifier] of ATTRIBUTES) {
    const type = objectIdentifier(identifier);
    const elements: Buffer[] = [];
    for (const value of name[key]) {
      elements.push(sequence(type, textElement(value)));
      if (elements.length % STEP === 0) yield;
    }
    if (elements.length > 0)
      sets.push(setOf(yield* sortInSteps(elements, (one, other) => one.compare(other))));
  }
  for (const [key, identifier] of [
    ["commonNames", COMMON_NAME],
    ["serialNumbers", SERIAL_NUMBER],
  ] as const) {
    const value = lastOf(name[key]);
    if (value !== "") sets.push(set(sequence(objectIdentifier(identifier), textElement(value))));
  }
  return sequence(...sets);
}
