/*
 * The Common Expression Language as Kubernetes has it: with its libraries, costs and limits.
 *
 *     const environment = kubernetesEnvironment.with([{ name: "name", type: stringType }]);
 *     const compiled = compile("size(name) > 3", environment); // a text that says what is wrong, or a program
 */
export { compile, kubernetesEnvironment, type Compiled } from "./compile.ts";
export { Environment, type Declaration, type TypeProvider } from "./environment.ts";
export type { Program } from "./evaluate.ts";
export type { Checked } from "./check.ts";
export { estimateCost, type SizeOf } from "./estimate.ts";
export type { Range } from "./range.ts";
export { CostLimitError, type Outcome, type Variables } from "./run.ts";
export {
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  formatType,
  intType,
  listType,
  mapType,
  nullType,
  optionalType,
  stringType,
  structType,
  timestampType,
  uintType,
  type Kind,
  type Type,
} from "./types.ts";
export {
  ArrayList,
  Duration,
  EntryMap,
  EvaluationError,
  isList,
  isMap,
  Optional,
  Timestamp,
  TypeValue,
  Uint,
  type ListValue,
  type MapValue,
  type OpaqueValue,
  type Value,
} from "./values.ts";
