/** openAPIV3Schema of a CustomResourceDefinition, as far as values are pruned, completed and checked by it. */
export interface OpenApiSchema {
  readonly type?: string;
  readonly format?: string;
  readonly nullable?: boolean;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, OpenApiSchema>>;
  readonly additionalProperties?: OpenApiSchema | boolean;
  readonly items?: OpenApiSchema;
  readonly required?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly exclusiveMaximum?: boolean;
  readonly multipleOf?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly allOf?: readonly OpenApiSchema[];
  readonly anyOf?: readonly OpenApiSchema[];
  readonly oneOf?: readonly OpenApiSchema[];
  readonly not?: OpenApiSchema;
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean;
  readonly "x-kubernetes-embedded-resource"?: boolean;
  readonly "x-kubernetes-int-or-string"?: boolean;
  readonly "x-kubernetes-list-type"?: string;
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  readonly "x-kubernetes-map-type"?: string;
  readonly "x-kubernetes-validations"?: readonly ValidationRule[];
}

export interface ValidationRule {
  readonly rule?: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: string;
  readonly fieldPath?: string;
  readonly optionalOldSelf?: boolean;
}

/** The schema of a map's values, where it has one. */
export function elementSchema(schema: OpenApiSchema): OpenApiSchema | undefined {
  return typeof schema.additionalProperties === "object" ? schema.additionalProperties : undefined;
}

/** The schema of a property that the schema names. */
export function propertySchema({ properties }: OpenApiSchema, name: string): OpenApiSchema | undefined {
  return properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : undefined;
}

/** Whether it holds for the schema of a value or of one within it; remembered for each schema. */
export function somewhere(holds: (schema: OpenApiSchema) => boolean): (schema: OpenApiSchema) => boolean {
  const known = new WeakMap<OpenApiSchema, boolean>();
  const search = (schema: OpenApiSchema): boolean => {
    const before = known.get(schema);
    if (before !== undefined) return before;
    const inner = [schema.items, elementSchema(schema), ...Object.values(schema.properties ?? {})];
    const found = holds(schema) || inner.some((one) => one !== undefined && search(one));
    known.set(schema, found);
    return found;
  };
  return search;
}
