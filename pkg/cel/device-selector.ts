import type { Int64 } from "../api/int64.ts";
import { parseQuantity } from "../api/quantity-parse.ts";
import { type Compiled, compile, kubernetesEnvironment } from "./compile.ts";
import type { TypeProvider } from "./environment.ts";
import { estimateCost, type SizeOf } from "./estimate.ts";
import { QuantityValue } from "./library/quantity.ts";
import { toSemver } from "./library/semver.ts";
import { anyType, boolType, mapType, stringType, structType, type Type } from "./types.ts";
import { EntryMap, EvaluationError, type Value } from "./values.ts";

/** What selectors of devices may cost, estimated and evaluated. */
const MOST_COST = 1_000_000;
const DEVICE = "kubernetes.DRADevice";

/** A device, as a slice of its driver has it. */
export interface SelectedDevice {
  readonly driver: string;
  readonly allowMultipleAllocations?: boolean;
  readonly attributes?: Readonly<Record<string, DeviceAttribute>>;
  readonly capacity?: Readonly<Record<string, { readonly value: string }>>;
}

interface DeviceAttribute {
  readonly bool?: boolean;
  readonly int?: Int64;
  readonly string?: string;
  readonly version?: string;
}

/** A type, and how much there may be of it. */
interface Sized {
  readonly type: Type;
  readonly size: number;
  readonly fields?: Readonly<Record<string, Sized>>;
  readonly key?: Sized;
  readonly element?: Sized;
}

const text = (size: number): Sized => ({ type: stringType, size });
const mapOf = (key: Sized, element: Sized): Sized => ({
  type: mapType(key.type, element.type),
  size: MOST_ENTRIES,
  key,
  element,
});

const MOST_ENTRIES = 32;
const domain = text(63);
const id = text(32);
/** One of several types; the longest text that it can be. */
const attribute: Sized = { type: anyType, size: 64 };
const quantity: Sized = { type: structType("kubernetes.Quantity"), size: 0 };
const fields: Readonly<Record<string, Sized>> = {
  driver: text(63),
  allowMultipleAllocations: { type: boolType, size: 1 },
  attributes: mapOf(domain, mapOf(id, attribute)),
  capacity: mapOf(domain, mapOf(id, quantity)),
};
const device: Sized = { type: structType(DEVICE), size: 0, fields };

const types: TypeProvider = {
  hasStruct: (name) => name === DEVICE,
  fieldType: (struct, field) => (struct === DEVICE ? fields[field]?.type : undefined),
};
const environment = kubernetesEnvironment.with([{ name: "device", type: device.type }], types);

/** upstream: k8s.io/dynamic-resource-allocation/cel/compile.go#EstimateSize */
const sizeOf: SizeOf = ([root, ...path]) => {
  let at: Sized | undefined = root === "device" ? device : undefined;
  for (const step of path) at = at && below(at, step);
  return at && { min: 0, max: at.size };
};

function below(at: Sized, step: string): Sized | undefined {
  if (step === "@items" || step === "@values") return at.element;
  if (step === "@keys") return at.key;
  // Of attributes all have one size, whatever they are called.
  return at.fields?.[step] ?? (at.element === attribute ? attribute : undefined);
}

/** A selector that can be asked, with what that may cost, or what is wrong with it. */
export type CompiledSelector =
  | { readonly compiled: Compiled; readonly isTooComplex: boolean; readonly cost: number }
  | string;

export function compileSelector(expression: string): CompiledSelector {
  const made = compile(expression, environment, { withBind: true });
  if (typeof made === "string") {
    const isLate = made.startsWith("program instantiation failed");
    return isLate ? made : `compilation failed: ${made}`;
  }
  const { type } = made.checked;
  if (type.kind !== "bool" && type.name !== anyType.name)
    return `must evaluate to bool or the unknown type, not ${typeText(type)}`;
  const { max: cost } = estimateCost(made.checked, sizeOf);
  return { compiled: made, isTooComplex: cost > MOST_COST, cost };
}

/** With the names that types have at run time. */
function typeText({ name, params }: Type): string {
  return params.length === 0 ? name : `${name}(${params.map(typeText).join(", ")})`;
}

/** Whether the device is one that the selector is for; throws an EvaluationError where that cannot be said. */
export function selectsDevice({ run }: Compiled, selected: SelectedDevice): boolean {
  const value = deviceValue(selected);
  const outcome = run((name) => (name === "device" ? value : undefined), MOST_COST);
  if (typeof outcome.value === "boolean") return outcome.value;
  throw new EvaluationError("the result is no bool");
}

function deviceValue(selected: SelectedDevice): Value {
  const { driver, allowMultipleAllocations = false, attributes = {}, capacity = {} } = selected;
  return new EntryMap([
    ["driver", driver],
    ["allowMultipleAllocations", allowMultipleAllocations],
    ["attributes", byDomain(driver, attributes, attributeValue)],
    ["capacity", byDomain(driver, capacity, ({ value }) => new QuantityValue(parseQuantity(value)))],
  ]);
}

function attributeValue({ bool, int, string, version }: DeviceAttribute, name: string): Value {
  if (int !== undefined) return BigInt(int);
  if (bool !== undefined) return bool;
  if (string !== undefined) return string;
  if (version !== undefined) return toSemver(version);
  throw new EvaluationError(`attribute ${name}: unsupported attribute value`);
}

/** Names without a domain are in that of the driver. */
function byDomain<T>(
  driver: string,
  named: Readonly<Record<string, T>>,
  valueOf: (of: T, name: string) => Value,
): Value {
  const domains = new Map<string, [Value, Value][]>();
  for (const [name, each] of Object.entries(named)) {
    const slash = name.indexOf("/");
    const of = slash < 0 ? driver : name.slice(0, slash);
    domains.set(of, [...(domains.get(of) ?? []), [name.slice(slash + 1), valueOf(each, name)]]);
  }
  return new DomainMap([...domains].map(([name, entries]) => [name, new EntryMap(entries)]));
}

const nothing = new EntryMap([]);

/** Of a domain that a device knows nothing of it has nothing, which is no mistake of who asks. */
class DomainMap extends EntryMap {
  readonly fallback = nothing;
}
