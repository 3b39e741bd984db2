import type { BuiltInResource, Resource } from "../../api/resource.ts";
import { apiVersionOf } from "../../api/resource.ts";
import type { KindRules } from "../kinds/kind.ts";
import { builtInResource } from "./built-in-resource.ts";
import type { ServedResource } from "./served-resource.ts";

/** Everything the server serves right now: the built-in kinds, and custom ones as they come and go. */
export class Registry {
  /** By "group/version/plural". */
  readonly #served = new Map<string, ServedResource>();
  readonly #listeners = new Set<() => void>();
  #generation = 0;

  constructor(builtIns: readonly BuiltInResource[], rules: readonly KindRules[]) {
    const rulesByKey = new Map(rules.map((rule) => [keyOfResource(rule.resource), rule]));
    for (const builtIn of builtIns) {
      const served = builtInResource(builtIn, rulesByKey.get(keyOfResource(builtIn)));
      this.#served.set(keyOfResource(builtIn), served);
    }
  }

  /** Grows with every change: whoever derives documents from the registry knows when they are stale. */
  get generation(): number {
    return this.#generation;
  }

  find(group: string, version: string, plural: string): ServedResource | undefined {
    return this.#served.get(`${group}/${version}/${plural}`);
  }

  /** In order of registration. */
  all(): readonly ServedResource[] {
    return [...this.#served.values()];
  }

  hasGroupVersion(group: string, version: string): boolean {
    return this.all().some(({ resource }) => resource.group === group && resource.version === version);
  }

  hasGroup(group: string): boolean {
    return this.all().some(({ resource }) => resource.group === group);
  }

  /** The resource that serves a kind: where a scale target or an owner lives. */
  findKind(apiVersion: string, kind: string): ServedResource | undefined {
    return this.all().find(({ resource }) => resource.kind === kind && apiVersionOf(resource) === apiVersion);
  }

  /** Serves these in the place of whatever `group` and `plural` had before. */
  replaceCustom(group: string, plural: string, versions: readonly ServedResource[]): void {
    for (const [key, { resource, custom }] of this.#served) {
      if (custom && resource.group === group && resource.plural === plural) this.#served.delete(key);
    }
    for (const served of versions) this.#served.set(keyOfResource(served.resource), served);
    this.#generation++;
    for (const listener of this.#listeners) listener();
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

function keyOfResource(resource: Pick<Resource, "group" | "version" | "plural">): string {
  return `${resource.group}/${resource.version}/${resource.plural}`;
}
