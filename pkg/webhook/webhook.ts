import type { LabelSelector as Selector } from "../api/types/meta.gen.ts";
import type { ApiObject } from "../api/object.ts";
import { apiVersionOf, type Resource, type TypedResource } from "../api/resource.ts";
import type { MatchCondition } from "../api/types/admissionregistration-v1.gen.ts";
import type { AnyCrd, Conversion, Converted } from "../crd/crd.ts";
import type { Admission, Mutate, Operation, Validate } from "./admission.ts";

/** When a webhook is asked, and what becomes of requests while it cannot be. */
export interface HookOptions {
  /** CREATE and UPDATE when left out. */
  readonly operations?: readonly Operation[];
  /** Subresources that it is asked about as well, such as "status". */
  readonly subresources?: readonly string[];
  /** What becomes of a request that nobody answers: it fails when left out. */
  readonly failurePolicy?: "Fail" | "Ignore";
  /** How long the API server waits, 1 to 30: 10. */
  readonly timeoutSeconds?: number;
  readonly namespaceSelector?: Selector;
  readonly objectSelector?: Selector;
  /** In CEL: it is asked only where all of them hold. */
  readonly matchConditions?: readonly MatchCondition[];
  /** Whether it does more than answer, though not for dry runs. */
  readonly sideEffects?: "None" | "NoneOnDryRun";
  /** For those that mutate: asked again when others have changed the object after it. */
  readonly reinvocationPolicy?: "Never" | "IfNeeded";
}

/** One question that is answered here. */
export interface Hook {
  readonly options: HookOptions;
  /** Undefined: the object as it is. Throws a DeniedError to refuse it. */
  decide(object: ApiObject, admission: Admission<ApiObject>): unknown;
}

/** The webhooks of a resource, whatever the type of its objects. */
export interface AnyWebhook {
  readonly resource: Resource;
  readonly mutating: Hook | undefined;
  readonly validating: Hook | undefined;
  readonly conversions: readonly Conversion[];
}

/** The webhooks of a resource. Every call gives another value, with one more. */
export interface Webhook<T extends ApiObject> extends AnyWebhook {
  mutate(mutate: Mutate<T>, options?: HookOptions): Webhook<T>;
  validate(validate: Validate<T>, options?: HookOptions): Webhook<T>;
  /** For resources that are not defined with defineCrd, whose definitions name their conversions. */
  convert<O extends ApiObject>(
    from: TypedResource<O>,
    up: (object: O) => Converted<T>,
    down: (object: T) => Converted<O>,
  ): Webhook<T>;
}

/** What is asked before objects of the resource are written, and between its versions. */
export function webhook<T extends ApiObject>(resource: TypedResource<T>): Webhook<T> {
  return made<T>({
    resource,
    mutating: undefined,
    validating: undefined,
    conversions: conversionsOf(resource),
  });
}

function conversionsOf(resource: Resource & Partial<Pick<AnyCrd, "conversions">>): readonly Conversion[] {
  return resource.conversions ?? [];
}

function made<T extends ApiObject>(parts: AnyWebhook): Webhook<T> {
  const { resource, conversions } = parts;
  const once = (part: "mutating" | "validating"): void => {
    if (parts[part] !== undefined) throw new Error(`${resource.kind} has a ${part} webhook already`);
  };
  return {
    ...parts,
    mutate: (mutate, options = {}) => {
      once("mutating");
      return made({ ...parts, mutating: { options, decide: typed<T, unknown>(mutate) } });
    },
    validate: (validate, options = {}) => {
      once("validating");
      return made({ ...parts, validating: { options, decide: typed<T, unknown>(validate) } });
    },
    convert: (from, up, down) => {
      if (conversions.some((one) => one.from.version === from.version) || from.version === resource.version)
        throw new Error(`${apiVersionOf(from)} ${resource.kind} is converted already`);
      const conversion: Conversion = {
        from,
        up: (object) => up(object as Parameters<typeof up>[0]),
        down: (object) => down(object as T),
      };
      return made({ ...parts, conversions: [...conversions, conversion] });
    },
  };
}

/** What the API server asks about is of the resource that the webhook is registered for. */
function typed<T extends ApiObject, R>(
  decide: (object: T, admission: Admission<T>) => R,
): (object: ApiObject, admission: Admission<ApiObject>) => R {
  return (object, admission) => decide(object as T, admission as unknown as Admission<T>);
}
