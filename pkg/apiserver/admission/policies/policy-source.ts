import type { ApiObject } from "../../../api/object.ts";
import type { TypedResource } from "../../../api/resource.ts";
import type { MatchResources, ParamKind, ParamRef } from "../../../api/types/admissionregistration-v1.gen.ts";
import { bucketName } from "../../server/served-resource.ts";
import type { Store } from "../../storage/store.ts";
import { storeReader } from "../cluster-reader.ts";

/** What policies of all sorts have. */
export interface PolicyObject {
  readonly spec?: {
    readonly failurePolicy?: string;
    readonly matchConstraints?: MatchResources;
    readonly paramKind?: ParamKind;
  };
}

export interface BindingObject {
  readonly spec?: {
    readonly policyName?: string;
    readonly matchResources?: MatchResources;
    readonly paramRef?: ParamRef;
  };
}

/** A policy that somebody has bound to requests. */
export interface BoundPolicy<P, B, C> {
  readonly policy: P & ApiObject;
  readonly bindings: readonly (B & ApiObject)[];
  readonly compiled: C;
}

/** Which objects are policies of a sort, and how their expressions are made ready. */
export interface PolicySort<P, B, C> {
  readonly policies: TypedResource<P>;
  readonly bindings: TypedResource<B>;
  compile(policy: P): C;
}

/** The policies of one sort, in order of their names, read off the storage when something has changed there. */
export class PolicySource<P extends PolicyObject, B extends BindingObject, C> {
  readonly #store: Store;
  readonly #sort: PolicySort<P, B, C>;
  readonly #compiled = new WeakMap<ApiObject, C>();
  #known: readonly BoundPolicy<P, B, C>[] | undefined;

  constructor(store: Store, sort: PolicySort<P, B, C>) {
    this.#store = store;
    this.#sort = sort;
    for (const { group, plural } of [sort.policies, sort.bindings]) {
      store.subscribe(bucketName(group, plural), () => {
        this.#known = undefined;
      });
    }
  }

  all(): readonly BoundPolicy<P, B, C>[] {
    this.#known ??= this.#read();
    return this.#known;
  }

  #read(): readonly BoundPolicy<P, B, C>[] {
    const reader = storeReader(this.#store);
    const bindings = Map.groupBy(reader.list(this.#sort.bindings), ({ spec }) => spec?.policyName ?? "");
    return reader.list(this.#sort.policies).flatMap((policy) => {
      const own = bindings.get(policy.metadata.name ?? "");
      return own === undefined ? [] : [{ policy, bindings: own, compiled: this.#compile(policy) }];
    });
  }

  #compile(policy: P & ApiObject): C {
    const known = this.#compiled.get(policy);
    if (known !== undefined) return known;
    const compiled = this.#sort.compile(policy);
    this.#compiled.set(policy, compiled);
    return compiled;
  }
}
