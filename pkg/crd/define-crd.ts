import type { ApiObject } from "../api/object.ts";
import { apiVersionOf, groupResource } from "../api/resource.ts";
import type { Json } from "../api/json.ts";
import { copyJson } from "../api/json-copy.ts";
import type {
  CustomResourceDefinitionVersion,
  WebhookClientConfig,
} from "../api/types/apiextensions-v1.gen.ts";
import { applyDefaults } from "../apiserver/crd/default-values.ts";
import type { OpenApiSchema } from "../cel/schemas/open-api-schema.ts";
import type { AnyCrd, Conversion, Crd, CrdSpec, DefinedDraft, DefinedObject } from "./crd.ts";
import { CrdError } from "./crd-error.ts";
import { manifestOf, titleOf, versionOf } from "./manifest.ts";

/**
 * A custom resource. Its TypeScript type follows from the schemas, and it is checked at once as an API server would check
 * it: throws a CrdError that says what is wrong, and where.
 */
export function defineCrd<const D extends CrdSpec>(spec: D): Crd<DefinedObject<D>, DefinedDraft<D>> {
  return crdOf<DefinedObject<D>, DefinedDraft<D>>(spec, []);
}

/** What stands for the address of a webhook while nobody knows it. */
const SOMEWHERE: WebhookClientConfig = { url: "https://localhost" };

function crdOf<T extends ApiObject, D extends object>(
  spec: CrdSpec,
  conversions: readonly Conversion[],
  others: readonly CustomResourceDefinitionVersion[] = [],
): Crd<T, D> {
  const version = versionOf(spec, true);
  // What the checks let pass is structural: there is nothing but schemas where the generated type has anything.
  const schema = version.schema?.openAPIV3Schema as OpenApiSchema | undefined;
  const base: AnyCrd = {
    group: spec.group,
    version: spec.version,
    plural: spec.plural ?? pluralOf(spec.kind),
    kind: spec.kind,
    namespaced: spec.scope === "Namespaced",
    spec,
    conversions,
    manifest: (options = {}) => {
      if (others.length > 0 && options.conversionWebhook === undefined)
        throw new CrdError(titleOf(spec), [
          { place: "conversionWebhook", message: "say where versions are converted" },
        ]);
      return manifestOf(base, [version, ...others], options);
    },
  };
  manifestOf(base, [version, ...others], { conversionWebhook: SOMEWHERE });
  return {
    ...base,
    object: (draft) => {
      const object: Json = { apiVersion: apiVersionOf(base), kind: base.kind, ...copyJson(draft) };
      applyDefaults(object, schema);
      // The schema that has filled it in is the one that the type follows from.
      return object as unknown as T;
    },
    convert: (from, up, down) => {
      requireSame(base, from);
      // Conversions are told apart by the version in which an object says it is.
      const conversion: Conversion = {
        from,
        up: (object) => up(object as Parameters<typeof up>[0]),
        down: (object) => down(object as T),
      };
      const added = versionOf(from.spec, false);
      return crdOf<T, D>(spec, [...conversions, conversion], [...others, added]);
    },
  };
}

function requireSame(crd: AnyCrd, other: AnyCrd): void {
  const [name, otherName] = [groupResource(crd), groupResource(other)];
  const problems = [
    ...(name === otherName ? [] : [`is another resource: ${otherName}, not ${name}`]),
    ...(crd.kind === other.kind ? [] : [`is of another kind: ${other.kind}, not ${crd.kind}`]),
    ...(crd.namespaced === other.namespaced ? [] : ["is of another scope"]),
    ...(other.conversions.length === 0 ? [] : ["has versions of its own: add them here"]),
  ];
  if (problems.length === 0) return;
  throw new CrdError(
    titleOf(crd.spec),
    problems.map((message) => ({ place: titleOf(other.spec), message })),
  );
}

function pluralOf(kind: string): string {
  const name = kind.toLowerCase();
  if (/[^aeiou]y$/.test(name)) return `${name.slice(0, -1)}ies`;
  return /(?:s|x|z|ch|sh)$/.test(name) ? `${name}es` : `${name}s`;
}
