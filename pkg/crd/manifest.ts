import { asJson } from "../api/json.ts";
import { copyJson } from "../api/json-copy.ts";
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionVersion,
  JSONSchemaProps,
} from "../api/types/apiextensions-v1.gen.ts";
import { definitionProblems } from "../apiserver/crd/definition-checks.ts";
import type { AnyCrd, CrdSpec, ManifestOptions } from "./crd.ts";
import { CrdError, type CrdProblem } from "./crd-error.ts";
import { placeOf } from "./problem-place.ts";
import { jsonSchemaOf, type SchemaSource } from "./schema-source.ts";
import { neededFields, structuralSchema, withWholeDefaults } from "./structural-schema.ts";

const KNOWN = {
  group: true,
  version: true,
  kind: true,
  scope: true,
  plural: true,
  singular: true,
  shortNames: true,
  categories: true,
  description: true,
  spec: true,
  status: true,
  rules: true,
  printerColumns: true,
  scale: true,
  selectableFields: true,
  deprecated: true,
  served: true,
  labels: true,
  annotations: true,
} as const satisfies Record<keyof CrdSpec, true>;

/** "Website.example.com/v1": how errors call a definition. */
export function titleOf({ kind, group, version }: Pick<CrdSpec, "kind" | "group" | "version">): string {
  return `${kind}.${group}/${version}`;
}

/** The definition of one version. Throws a CrdError. */
export function versionOf(spec: CrdSpec, isKept: boolean): CustomResourceDefinitionVersion {
  const problems: CrdProblem[] = Object.keys(spec)
    .filter((key) => !Object.hasOwn(KNOWN, key))
    .map((key) => ({
      place: key,
      message: `definitions have no such field: ${Object.keys(KNOWN).join(", ")}`,
    }));
  const openAPIV3Schema = rootSchema(spec, problems);
  if (problems.length > 0) throw new CrdError(titleOf(spec), problems);
  const { served = true, deprecated, printerColumns, selectableFields, scale } = spec;
  const subresources = {
    ...(spec.status !== undefined && { status: {} }),
    ...(scale !== undefined && { scale }),
  };
  return {
    name: spec.version,
    served,
    storage: isKept,
    ...(deprecated !== undefined && deprecated !== false && { deprecated: true }),
    ...(typeof deprecated === "string" && { deprecationWarning: deprecated }),
    schema: { openAPIV3Schema },
    ...(Object.keys(subresources).length > 0 && { subresources }),
    ...(printerColumns !== undefined && { additionalPrinterColumns: printerColumns }),
    ...(selectableFields !== undefined && {
      selectableFields: selectableFields.map((jsonPath) => ({ jsonPath })),
    }),
  };
}

/** A spec that needs nothing can be left out: it is empty then, with its defaults, so that everybody finds one. */
function rootSchema(spec: CrdSpec, problems: CrdProblem[]): JSONSchemaProps {
  const ofSpec = partSchema(spec.spec, "spec", problems);
  const isNeeded = neededFields(ofSpec).length > 0;
  const { description, rules, status } = spec;
  return withWholeDefaults({
    ...(description !== undefined && { description }),
    type: "object",
    ...(isNeeded && { required: ["spec"] }),
    properties: {
      spec: isNeeded || ofSpec.default !== undefined ? ofSpec : { ...ofSpec, default: {} },
      ...(status !== undefined && { status: partSchema(status, "status", problems) }),
    },
    ...(rules !== undefined && { "x-kubernetes-validations": rules }),
  });
}

function partSchema(source: SchemaSource, place: string, problems: CrdProblem[]): JSONSchemaProps {
  const schema = jsonSchemaOf(source);
  if (typeof schema !== "string") return structuralSchema(schema, place, problems);
  problems.push({ place, message: schema });
  return {};
}

/** The definition with all its versions, checked as an API server checks it. Throws a CrdError. */
export function manifestOf(
  crd: AnyCrd,
  versions: readonly CustomResourceDefinitionVersion[],
  { conversionWebhook: clientConfig }: ManifestOptions,
): CustomResourceDefinition {
  const { spec, group, plural, kind } = crd;
  const { singular, shortNames, categories, labels, annotations } = spec;
  const manifest: CustomResourceDefinition = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: {
      name: `${plural}.${group}`,
      ...(labels !== undefined && { labels }),
      ...(annotations !== undefined && { annotations }),
    },
    spec: {
      group,
      names: {
        plural,
        singular: singular ?? kind.toLowerCase(),
        kind,
        listKind: `${kind}List`,
        ...(shortNames !== undefined && { shortNames }),
        ...(categories !== undefined && { categories }),
      },
      scope: spec.scope,
      versions,
      ...(versions.length > 1 && {
        conversion: {
          strategy: "Webhook",
          webhook: { conversionReviewVersions: ["v1"], ...(clientConfig !== undefined && { clientConfig }) },
        },
      }),
    },
  };
  const problems = definitionProblems(copyJson(asJson(manifest)));
  if (problems.length === 0) return manifest;
  const told = problems.map(({ field, message }) => ({ place: placeOf(field, crd), message }));
  throw new CrdError(titleOf(spec), told);
}
