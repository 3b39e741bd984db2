import {
  type Condition,
  type CustomResourceDefinition,
  conditionIsTrue,
  type Names,
  withCondition,
} from "./definition.ts";

interface Naming {
  readonly acceptedNames: Partial<Names>;
  readonly conditions: readonly Condition[];
}

/**
 * Which of its names a definition may use beside the others of its group, and whether it is established with them.
 * Once established it stays so.
 */
export function acceptNames(
  definition: CustomResourceDefinition,
  others: readonly CustomResourceDefinition[],
  now: string,
): Naming {
  const usedResources = new Set<string>();
  const usedKinds = new Set<string>();
  for (const { status } of others) {
    const { plural, singular, shortNames = [], kind, listKind } = status?.acceptedNames ?? {};
    for (const name of [plural, singular, ...shortNames])
      if (name !== undefined && name !== "") usedResources.add(name);
    for (const name of [kind, listKind]) if (name !== undefined && name !== "") usedKinds.add(name);
  }
  const { names } = definition.spec;
  let refusal: Omit<Condition, "type" | "status"> | undefined;
  const accepted: { -readonly [Name in keyof Names]?: Names[Name] } = {};
  const accept = (
    part: "plural" | "singular" | "kind" | "listKind",
    used: ReadonlySet<string>,
    reason: string,
  ): void => {
    const name = names[part];
    if (name === undefined) return;
    if (!used.has(name)) accepted[part] = name;
    else refusal = { reason, message: `${JSON.stringify(name)} is already in use` };
  };
  accept("plural", usedResources, "PluralConflict");
  accept("singular", usedResources, "SingularConflict");
  const taken = (names.shortNames ?? []).filter((name) => usedResources.has(name));
  if (taken.length > 0)
    refusal = {
      reason: "ShortNamesConflict",
      message: taken.map((name) => `${JSON.stringify(name)} is already in use`).join(", "),
    };
  else if (names.shortNames !== undefined) accepted.shortNames = names.shortNames;
  accept("kind", usedKinds, "KindConflict");
  accept("listKind", usedKinds, "ListKindConflict");
  if (names.categories !== undefined) accepted.categories = names.categories;
  return {
    acceptedNames: { plural: "", kind: "", ...accepted },
    conditions: conditionsOf(definition, refusal, now),
  };
}

function conditionsOf(
  definition: CustomResourceDefinition,
  refusal: Omit<Condition, "type" | "status"> | undefined,
  now: string,
): readonly Condition[] {
  const before = definition.status?.conditions ?? [];
  if (refusal === undefined) {
    const named = {
      type: "NamesAccepted",
      status: "True",
      reason: "NoConflicts",
      message: "no conflicts found",
    };
    const established = {
      type: "Established",
      status: "True",
      reason: "InitialNamesAccepted",
      message: "the initial names have been accepted",
    };
    return withCondition(withCondition(before, named, now), established, now);
  }
  const named = withCondition(before, { type: "NamesAccepted", status: "False", ...refusal }, now);
  if (conditionIsTrue(definition, "Established")) return named;
  const reason = "NotAccepted";
  return withCondition(
    named,
    { type: "Established", status: "False", reason, message: "not all names are accepted" },
    now,
  );
}
