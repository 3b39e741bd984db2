/** Custom resources: their definitions, and the types of their objects. */
export type {
  AnyCrd,
  Conversion,
  Converted,
  Crd,
  CrdSpec,
  CustomObject,
  ManifestOptions,
  ObjectOf,
  PrinterColumn,
  Scope,
} from "./crd.ts";
export { CrdError, type CrdProblem } from "./crd-error.ts";
export { defineCrd } from "./define-crd.ts";
export type { FromSchema } from "./from-schema.ts";
export { InstallError, installCrds, type InstallOptions } from "./install-crds.ts";
export type { JsonSchema } from "./json-schema.ts";
export { type SchemaSource, type StandardSchema, typedSchema, type TypedSchema } from "./schema-source.ts";
