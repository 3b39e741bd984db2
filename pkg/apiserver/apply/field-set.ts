import { done, inOneGo, STEP, type Steps } from "../../api/steps.ts";
import type { PathElement } from "./path-element.ts";
import { canonicalElement, printElement, SORTED_AT_ONCE, sortAtOnce, sortElements } from "./path-element.ts";

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

export function union(a: FieldSet, b: FieldSet): Steps<FieldSet> {
  if (isEmptySet(a)) return done(b);
  return isEmptySet(b) ? done(a) : combined(a, b, (inA, inB) => inA || inB);
}

export function intersection(a: FieldSet, b: FieldSet): Steps<FieldSet> {
  return isEmptySet(a) || isEmptySet(b) ? done(emptySet) : combined(a, b, (inA, inB) => inA && inB);
}

/** The paths of `a` that are not in `b`; those below a path of `b` stay. */
export function difference(a: FieldSet, b: FieldSet): Steps<FieldSet> {
  return isEmptySet(a) || isEmptySet(b) ? done(a) : combined(a, b, (inA, inB) => inA && !inB);
}

export function hasPath(set: FieldSet, path: FieldPath): boolean {
  let at: FieldSet | undefined = set;
  for (const element of path) at = at?.children.get(element);
  return at?.member === true;
}

/** The paths of `a` that are neither in `b` nor below a path of `b`. */
export function withoutSubtrees(a: FieldSet, b: FieldSet): Steps<FieldSet> {
  return isEmptySet(a) || isEmptySet(b) ? done(a) : cutSubtrees(a, b);
}

function* cutSubtrees(a: FieldSet, b: FieldSet): Steps<FieldSet> {
  const children = new Map<PathElement, FieldSet>();
  let count = 0;
  for (const [element, child] of a.children) {
    if (++count % STEP === 0) yield;
    const cut = b.children.get(element);
    if (cut?.member === true) continue;
    const rest = cut === undefined ? child : yield* withoutSubtrees(child, cut);
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
  return inOneGo(builder.build());
}

/** All paths in the order of messages: at each step first the members, then what is below. */
export function* pathsOf(set: FieldSet, prefix: FieldPath = []): Steps<readonly FieldPath[]> {
  const paths: FieldPath[] = [];
  yield* collectPaths(set, prefix, paths);
  return paths;
}

function* collectPaths(set: FieldSet, prefix: FieldPath, paths: FieldPath[]): Steps<void> {
  const children = yield* sortedChildren(set);
  for (const [element, child] of children) {
    if (child.member) paths.push([...prefix, element]);
  }
  let count = 0;
  for (const [element, child] of children) {
    if (++count % STEP === 0) yield;
    if (child.children.size > 0) yield* collectPaths(child, [...prefix, element], paths);
  }
}

/** `.spec.containers[name="a"].image` */
export function printPath(path: FieldPath): string {
  return path.map(printElement).join("");
}

/** The tree as managedFields hold it; "." marks a node that has children and is a member itself. */
export function* toFieldsV1(set: FieldSet): Steps<Readonly<Record<string, unknown>>> {
  const fields: Record<string, unknown> = {};
  let count = 0;
  for (const [element, child] of yield* sortedChildren(set)) {
    if (++count % STEP === 0) yield;
    if (child.children.size === 0) fields[element] = {};
    else if (child.member) fields[element] = { ".": {}, ...(yield* toFieldsV1(child)) };
    else fields[element] = yield* toFieldsV1(child);
  }
  return fields;
}

/** Reads managedFields; throws a SyntaxError. Elements of unknown kinds are dropped. */
export function* fromFieldsV1(fields: unknown): Steps<FieldSet> {
  if (typeof fields !== "object" || fields === null) return emptySet;
  const children = new Map<PathElement, FieldSet>();
  let count = 0;
  for (const key of Object.keys(fields)) {
    if (++count % STEP === 0) yield;
    const element = key === "." ? undefined : canonicalElement(key);
    if (element === undefined) continue;
    const below = (fields as Readonly<Record<string, unknown>>)[key];
    if (isBareNode(below)) children.set(element, leaf);
    else {
      const child = yield* fromFieldsV1(below);
      const isMember = child.children.size === 0 || Object.hasOwn(below as object, ".");
      children.set(element, { member: isMember, children: child.children });
    }
  }
  return { member: false, children };
}

/** Most have nothing below. */
function isBareNode(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  for (const key in value) if (key !== ".") return false;
  return true;
}

/** Collects paths while a value is walked. */
export class FieldSetBuilder {
  #member = false;
  readonly #children = new Map<PathElement, FieldSet | FieldSetBuilder>();
  #isDeep = false;

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
    this.#isDeep = true;
    return made;
  }

  /** The empty path stands for the whole object, which nobody owns. To be called once: the set grows out of this. */
  build(): Steps<FieldSet> {
    if (this.#children.size === 0) return done(this.#member ? leaf : emptySet);
    return this.#isDeep ? this.#buildDeep() : done(this.#built());
  }

  *#buildDeep(): Steps<FieldSet> {
    let count = 0;
    for (const [element, child] of this.#children) {
      if (++count % STEP === 0) yield;
      if (child instanceof FieldSetBuilder) this.#children.set(element, yield* child.build());
    }
    return this.#built();
  }

  #built(): FieldSet {
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

  /** Puts what is below this place into the set. */
  insertBelow(element: PathElement, set: number): void {
    this.builder(set).add(element);
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

/** Whether a path is in the result, by whether it is in each of two sets. */
type Keep = (inA: boolean, inB: boolean) => boolean;

function* combined(a: FieldSet, b: FieldSet, keep: Keep): Steps<FieldSet> {
  return (yield* combine(a, b, keep)) ?? emptySet;
}

/** What only one side has is kept or dropped as it is; undefined where nothing is left. */
function* combine(a: FieldSet, b: FieldSet, keep: Keep): Steps<FieldSet | undefined> {
  // Often nothing is left.
  let children: Map<PathElement, FieldSet> | undefined;
  let count = 0;
  for (const [element, child] of a.children) {
    if (++count % STEP === 0) yield;
    const other = b.children.get(element);
    let left: FieldSet | undefined;
    if (other === undefined) left = keep(true, false) ? child : undefined;
    else if (child.children.size === 0 && other.children.size === 0)
      left = keep(child.member, other.member) ? leaf : undefined;
    else left = yield* combine(child, other, keep);
    if (left !== undefined) (children ??= new Map()).set(element, left);
  }
  if (keep(false, true)) {
    for (const [element, child] of b.children) {
      if (++count % STEP === 0) yield;
      if (!a.children.has(element)) (children ??= new Map()).set(element, child);
    }
  }
  const member = keep(a.member, b.member);
  if (children !== undefined) return { member, children };
  return member ? leaf : undefined;
}

type Child = readonly [PathElement, FieldSet];

function sortedChildren(set: FieldSet): Steps<readonly Child[]> {
  const { size } = set.children;
  if (size <= 1) return done([...set.children]);
  if (size <= SORTED_AT_ONCE) return done(childrenOf(set, sortAtOnce([...set.children.keys()])));
  return sortedInSteps(set);
}

function* sortedInSteps(set: FieldSet): Steps<readonly Child[]> {
  return childrenOf(set, yield* sortElements([...set.children.keys()]));
}

function childrenOf(set: FieldSet, elements: readonly PathElement[]): readonly Child[] {
  const children: Child[] = [];
  for (const element of elements) {
    const child = set.children.get(element);
    if (child !== undefined) children.push([element, child]);
  }
  return children;
}
