import type { ApiObject } from "../../api/object.ts";
import type { Resource } from "../../api/resource.ts";
import { definition } from "../../api/schema.ts";
import { inOneGo, type Steps } from "../../api/steps.ts";
import { builtInSchema } from "../apply/built-in-schema.ts";
import { customResourceSchema } from "../apply/openapi-schema.ts";
import { completeObject } from "../apply/typed-value.ts";
import { asJson, copyField, isJson, type Json } from "../../api/json.ts";
import type { Draft, FieldError, KindRules, Subresource } from "../kinds/kind.ts";
import { checkBuiltInBody } from "../decode/check-body.ts";
import { copyJson } from "../../api/json-copy.ts";
import {
  type BodySchema,
  bucketName,
  type ScalePaths,
  type ServedResource,
} from "../server/served-resource.ts";
import { ObjectRules } from "./cel/object-rules.ts";
import { conversionWebhook, type ConversionClient, type Converter } from "./conversion-webhook.ts";
import { customConversion } from "./custom-conversion.ts";
import { applyDefaults } from "./default-values.ts";
import type { CustomResourceDefinition, CustomScale, CustomVersion } from "./definition.ts";
import { coerceEmbedded, validateEmbedded } from "./embedded-objects.ts";
import { finalizerWarnings } from "./finalizer-warnings.ts";
import { compileJsonPath } from "./json-path.ts";
import { duplicatesInLists } from "./list-types.ts";
import { type OpenApiSchema, propertySchema } from "../../cel/schemas/open-api-schema.ts";
import { customColumns } from "./printer-columns.ts";
import { pruneNulls, pruneUnknown } from "./prune.ts";
import { validateScale } from "./validate-scale.ts";
import { validateValue } from "./validate-value.ts";

const verbs = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];
const viewVerbs = ["get", "patch", "update"];

/** The resources that a definition stands for: one for each version that is served. */
export function customResources(
  of: CustomResourceDefinition,
  conversion: ConversionClient,
): readonly ServedResource[] {
  return of.spec.versions
    .filter((version) => version.served)
    .map((version) => customResource(of, version, conversion));
}

/** As it is stored, whether that version is served or not: nobody has to convert it. */
export function storedResource(
  of: CustomResourceDefinition,
  conversion: ConversionClient,
): ServedResource | undefined {
  const version = of.spec.versions.find(({ storage }) => storage);
  return version && customResource(of, version, conversion);
}

function customResource(
  of: CustomResourceDefinition,
  version: CustomVersion,
  conversion: ConversionClient,
): ServedResource {
  const { group, names, scope } = of.spec;
  const resource: Resource = {
    group,
    version: version.name,
    plural: names.plural,
    kind: names.kind,
    namespaced: scope === "Namespaced",
  };
  const schema = version.schema?.openAPIV3Schema;
  const subresources = subresourcesOf(version);
  return {
    resource,
    rules: customRules(resource, of, version, schema),
    verbs: new Set(
      of.metadata.deletionTimestamp === undefined ? verbs : verbs.filter((verb) => verb !== "create"),
    ),
    subresources: new Map(subresources.map((subresource) => [subresource.name, subresource])),
    bucket: bucketName(group, names.plural),
    bareItems: false,
    body: customBody(schema, of.spec.preserveUnknownFields === true),
    conversion: customConversion({
      apiVersion: `${group}/${version.name}`,
      storedVersion: storageVersion(of),
      schemaOf: (apiVersion) => schemaIn(of, apiVersion),
      converter: converterOf(of, conversion),
    }),
    custom: true,
    inProtobuf: false,
    scale: version.subresources?.scale === undefined ? undefined : scalePaths(version.subresources.scale),
    deletionHold: undefined,
  };
}

function storageVersion({ spec }: CustomResourceDefinition): string {
  return `${spec.group}/${spec.versions.find((version) => version.storage)?.name ?? ""}`;
}

function schemaIn({ spec }: CustomResourceDefinition, apiVersion: string): OpenApiSchema | undefined {
  const version = spec.versions.find(({ name }) => `${spec.group}/${name}` === apiVersion);
  return version?.schema?.openAPIV3Schema;
}

function converterOf({ spec }: CustomResourceDefinition, client: ConversionClient): Converter | undefined {
  const { strategy, webhook } = spec.conversion ?? {};
  return strategy === "Webhook" && webhook !== undefined ? conversionWebhook(webhook, client) : undefined;
}

function subresourcesOf({ subresources }: CustomVersion): readonly Subresource[] {
  const list: Subresource[] = [];
  if (subresources?.status !== undefined) list.push({ name: "status", verbs: viewVerbs });
  const kind = { group: "autoscaling", version: "v1", kind: "Scale" };
  if (subresources?.scale !== undefined) list.push({ name: "scale", kind, verbs: viewVerbs });
  return list;
}

function customRules(
  resource: Resource,
  { spec }: CustomResourceDefinition,
  version: CustomVersion,
  schema: OpenApiSchema | undefined,
): KindRules {
  const { names } = spec;
  const hasStatus = version.subresources?.status !== undefined;
  const warning = deprecationWarning(resource, version);
  const rules = new ObjectRules(schema);
  return {
    resource,
    singular: names.singular ?? names.kind.toLowerCase(),
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    subresources: subresourcesOf(version),
    columns: customColumns(version),
    generation: true,
    unconditionalUpdate: false,
    setDefaults: (draft) => void applyDefaults(draft, schema),
    prepareForCreate: (draft) => {
      if (hasStatus) delete draft["status"];
    },
    prepareForUpdate: (draft, before, context) => {
      if (!hasStatus || context.subresource === "scale") return;
      if (context.subresource === "status") keepAllButStatus(draft, asJson(before));
      else copyField(draft, asJson(before), "status");
    },
    *validate(draft) {
      const values = yield* validateValue(draft, schema);
      const scale = validateScale(draft, version.subresources?.scale, true);
      yield;
      const embedded = validateEmbedded(draft, schema);
      yield;
      const duplicates = yield* duplicatesInLists(draft, schema);
      yield;
      return yield* rules.withErrors(draft, undefined, [...values, ...scale, ...embedded, ...duplicates]);
    },
    *validateUpdate(draft, before, context) {
      const isStatus = context.subresource === "status";
      const values = yield* validateChange(draft, before, schema, hasStatus && isStatus);
      const scale = validateScale(draft, version.subresources?.scale, !isStatus);
      yield;
      const embedded = isStatus ? [] : validateEmbedded(draft, schema);
      yield;
      const duplicates = yield* duplicatesInLists(draft, schema);
      const isNew = duplicates.length > 0 && (yield* duplicatesInLists(asJson(before), schema)).length === 0;
      yield;
      return yield* rules.withErrors(draft, before, [
        ...values,
        ...scale,
        ...embedded,
        ...(isNew ? duplicates : []),
      ]);
    },
    warnings: (draft, before) => [
      ...(warning === undefined ? [] : [warning]),
      ...finalizerWarnings(draft, before),
      ...rules.warningsOf(draft),
    ],
    ...(version.selectableFields === undefined
      ? {}
      : { selectableFields: fieldsBy(version.selectableFields) }),
  };
}

/** Of a write to the status, only that is looked at. What was wrong before may stay as it is. */
function* validateChange(
  draft: Draft,
  before: ApiObject,
  schema: OpenApiSchema | undefined,
  isStatus: boolean,
): Steps<readonly FieldError[]> {
  const old = asJson(before);
  if (!isStatus) return yield* validateValue(draft, schema, { before: old });
  if (draft["status"] === undefined) return [];
  const status = schema === undefined ? undefined : propertySchema(schema, "status");
  return yield* validateValue(draft["status"], status, { prefix: "status", before: old["status"] });
}

function keepAllButStatus(draft: Draft, before: Json): void {
  for (const key of Object.keys({ ...before, ...draft })) {
    if (key !== "status" && key !== "metadata") copyField(draft, before, key);
  }
  const metadata = before["metadata"];
  const { managedFields, resourceVersion } = draft.metadata;
  draft.metadata = { ...(isJson(metadata) ? copyJson(metadata) : {}), managedFields, resourceVersion };
}

function deprecationWarning({ group, kind, version }: Resource, facts: CustomVersion): string | undefined {
  if (facts.deprecated !== true) return undefined;
  return facts.deprecationWarning ?? `${group}/${version} ${kind} is deprecated`;
}

function fieldsBy(
  fields: readonly { readonly jsonPath: string }[],
): (object: ApiObject) => Readonly<Record<string, string>> {
  const paths = fields.map(({ jsonPath }): [string, ReturnType<typeof compileJsonPath>] => [
    jsonPath.replace(/^\./, ""),
    compileJsonPath(jsonPath),
  ]);
  return (object) => Object.fromEntries(paths.map(([name, find]) => [name, textOf(find(object)[0])]));
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

const objectMeta = definition("meta.v1.ObjectMeta");
const nothingEmbedded = { unknown: [], problem: undefined };

function customBody(schema: OpenApiSchema | undefined, preserve: boolean): BodySchema {
  const metaFields = builtInSchema("v1", "ConfigMap");
  const metadataSchema = metaFields?.kind === "map" ? metaFields.field("metadata") : undefined;
  const fields = customResourceSchema(schema, metadataSchema ?? { kind: "deduced" });
  return {
    check: (draft, numbers) => {
      const metadata = checkBuiltInBody(draft.metadata, objectMeta, "metadata", numbers);
      const unknown = preserve ? [] : pruneUnknown(draft, schema);
      if (!preserve) pruneNulls(draft, schema);
      const embedded = schema === undefined ? nothingEmbedded : coerceEmbedded(draft, schema);
      const problem = embedded.problem && `${embedded.problem.field}: ${embedded.problem.message}`;
      return {
        unknown: [...metadata.unknown, ...unknown, ...embedded.unknown],
        problem: metadata.problem ?? problem,
      };
    },
    checkMerged: undefined,
    empty: inOneGo(completeObject(fields, {})),
    fields,
    openApi: schema ?? { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    strategic: undefined,
  };
}

function scalePaths(scale: CustomScale): ScalePaths {
  const split = (path: string): readonly string[] => path.split(".").slice(1);
  return {
    specReplicas: split(scale.specReplicasPath),
    statusReplicas: split(scale.statusReplicasPath),
    selector: scale.labelSelectorPath === undefined ? undefined : split(scale.labelSelectorPath),
  };
}
