import type { PathElement } from "./path-element.ts";
import { canonicalElement, printElement, sortElements } from "./path-element.ts";

/**
 * A set of field paths, as a tree of their elements. Immutable. A node without children that is no member does not
 * occur, save for the root of the empty set; whether the root is a member means nothing.
 */
export interface FieldSet {
  readonly member: boolean;
  readonly children: ReadonlyMap<PathElement, FieldSet>;
}

export type FieldPath = readonly PathElement[];

export const emptySet: FieldSet = { member: false, children: new Map() };
const leaf: FieldSet = { member: true, children: new Map() };

export function isEmptySet(set: FieldSet): boolean {
  return set.children.size === 0;
}

export function union(a: FieldSet, b: FieldSet): FieldSet {
  return combine(a, b, (inA, inB) => inA || inB) ?? emptySet;
}

export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  return combine(a, b, (inA, inB) => inA && inB) ?? emptySet;
}

/** The paths of `a` that are not in `b`; those below a path of `b` stay. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  return combine(a, b, (inA, inB) => inA && !inB) ?? emptySet;
}

/** The paths of `a` that are neither in `b` nor below a path of `b`. */
export function withoutSubtrees(a: FieldSet, b: FieldSet): FieldSet {
  const children = new Map<PathElement, FieldSet>();
  for (const [element, child] of a.children) {
    const cut = b.children.get(element);
    if (cut?.member === true) continue;
    const rest = cut === undefined ? child : withoutSubtrees(child, cut);
    if (rest.member || rest.children.size > 0) children.set(element, rest);
  }
  return { member: a.member, children };
}

export function setOfPaths(paths: Iterable<FieldPath>): FieldSet {
  const builder = new FieldSetBuilder();
  for (const path of paths) {
    let at = builder;
    for (const element of path) at = at.descend(element);
    at.mark();
  }
  return builder.build();
}

/** All paths in the order of messages: at each step first the members, then what is below. */
export function* pathsOf(set: FieldSet, prefix: FieldPath = []): Generator<FieldPath> {
  const children = sortedChildren(set);
  for (const [element, child] of children) {
    if (child.member) yield [...prefix, element];
  }
  for (const [element, child] of children) yield* pathsOf(child, [...prefix, element]);
}

/** `.spec.containers[name="a"].image` */
export function printPath(path: FieldPath): string {
  return path.map(printElement).join("");
}

/** The tree as managedFields hold it; "." marks a node that has children and is a member itself. */
export function toFieldsV1(set: FieldSet): Readonly<Record<string, unknown>> {
  const fields: Record<string, unknown> = {};
  for (const [element, child] of sortedChildren(set)) {
    if (child.children.size === 0) fields[element] = {};
    else fields[element] = child.member ? { ".": {}, ...toFieldsV1(child) } : toFieldsV1(child);
  }
  return fields;
}

/** Reads managedFields; throws a SyntaxError. Elements of unknown kinds are dropped. */
export function fromFieldsV1(fields: unknown): FieldSet {
  const children = new Map<PathElement, FieldSet>();
  if (typeof fields !== "object" || fields === null) return emptySet;
  for (const [key, below] of Object.entries(fields)) {
    const element = key === "." ? undefined : canonicalElement(key);
    if (element === undefined) continue;
    const child = fromFieldsV1(below);
    const isMember = child.children.size === 0 || Object.hasOwn(below as object, ".");
    children.set(element, { member: isMember, children: child.children });
  }
  return { member: false, children };
}

/** Collects paths while a value is walked. */
export class FieldSetBuilder {
  #member = false;
  readonly #children = new Map<PathElement, FieldSet | FieldSetBuilder>();

  /** The path to here is in the set. */
  mark(): void {
    this.#member = true;
  }

  add(element: PathElement): void {
    const child = this.#children.get(element);
    if (child === undefined) this.#children.set(element, leaf);
    else if (child instanceof FieldSetBuilder) child.mark();
  }

  descend(element: PathElement): FieldSetBuilder {
    const child = this.#children.get(element);
    if (child instanceof FieldSetBuilder) return child;
    const made = new FieldSetBuilder();
    if (child !== undefined) made.mark();
    this.#children.set(element, made);
    return made;
  }

  /** The empty path stands for the whole object, which nobody owns. To be called once: the set grows out of this. */
  build(): FieldSet {
    if (this.#children.size === 0) return this.#member ? leaf : emptySet;
    for (const [element, child] of this.#children)
      if (child instanceof FieldSetBuilder) this.#children.set(element, child.build());
    return { member: this.#member, children: this.#children as ReadonlyMap<PathElement, FieldSet> };
  }
}

/** A place in the sets that a walk collects: what leads there is only made where something is put. */
export class Spot {
  readonly #parent: Spot | undefined;
  readonly #element: PathElement;
  readonly #builders: (FieldSetBuilder | undefined)[];

  private constructor(parent: Spot | undefined, element: PathElement, builders: FieldSetBuilder[]) {
    this.#parent = parent;
    this.#element = element;
    this.#builders = builders;
  }

  static root(...builders: FieldSetBuilder[]): Spot {
    return new Spot(undefined, "", builders);
  }

  below(element: PathElement): Spot {
    return new Spot(this, element, []);
  }

  /** Puts this place into the set of that number. */
  insert(set: number): void {
    const own = this.#builders[set];
    if (own !== undefined) own.mark();
    else this.#parent?.builder(set).add(this.#element);
  }

  builder(set: number): FieldSetBuilder {
    const known = this.#builders[set];
    if (known !== undefined) return known;
    if (this.#parent === undefined) throw new Error(`nobody collects a set ${set}`);
    const made = this.#parent.builder(set).descend(this.#element);
    this.#builders[set] = made;
    return made;
  }
}

function combine(
  a: FieldSet | undefined,
  b: FieldSet | undefined,
  keep: (inA: boolean, inB: boolean) => boolean,
): FieldSet | undefined {
  // What only one side has is kept or dropped as it is.
  if (a === undefined) return keep(false, true) ? b : undefined;
  if (b === undefined) return keep(true, false) ? a : undefined;
  const children = new Map<PathElement, FieldSet>();
  const add = (element: PathElement, child: FieldSet | undefined): void => {
    if (child !== undefined) children.set(element, child);
  };
  for (const [element, child] of a.children) add(element, combine(child, b.children.get(element), keep));
  for (const [element, child] of b.children) {
    if (!a.children.has(element)) add(element, combine(undefined, child, keep));
  }
  const member = keep(a.member, b.member);
  return member || children.size > 0 ? { member, children } : undefined;
}

function sortedChildren(set: FieldSet): [PathElement, FieldSet][] {
  const children: [PathElement, FieldSet][] = [];
  for (const element of sortElements([...set.children.keys()])) {
    const child = set.children.get(element);
    if (child !== undefined) children.push([element, child]);
  }
  return children;
}
