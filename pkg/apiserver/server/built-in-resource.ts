import { patchSchemaOf } from "../../api/patch/patch-schema.ts";
import { applyStrategicMergePatch } from "../../api/patch/strategic-merge-patch.ts";
import type { BuiltInResource } from "../../api/resource.ts";
import { apiVersionOf } from "../../api/resource.ts";
import { type Definition, definitionOf } from "../../api/schema.ts";
import { hasProtobuf } from "../../api/protobuf/decode.ts";
import { builtInSchema } from "../apply/built-in-schema.ts";
import type { FieldSchema } from "../apply/field-schema.ts";
import { completeObject } from "../apply/typed-value.ts";
import { goStruct, zeroOf } from "../../api/go-types.ts";
import { asJson } from "../../api/json.ts";
import { inOneGo } from "../../api/steps.ts";
import { defineKind } from "../kinds/define-kind.ts";
import { rulesBy } from "../kinds/policy/autoscaler.ts";
import type { Draft, KindRules } from "../kinds/kind.ts";
import { definitionBucket } from "../crd/definition.ts";
import { holdDefinition } from "../crd/definition-hold.ts";
import { checkLooseSchemas } from "../crd/schema-wire-form.ts";
import { autoscalerConversion, autoscalerToV2, defaultUtilization } from "./conversions/autoscalers.ts";
import { eventConversion } from "./conversions/events.ts";
import { holdNamespace } from "./deletion-holds.ts";
import { type BodyCheck, checkBuiltInBody, checkMergedBody } from "../decode/check-body.ts";
import {
  type BodySchema,
  bucketName,
  type Conversion,
  type ScalePaths,
  type ServedResource,
} from "./served-resource.ts";

const workloadScale: ScalePaths = {
  specReplicas: ["spec", "replicas"],
  statusReplicas: ["status", "replicas"],
  selector: ["spec", "selector"],
};

/** A built-in resource with the rules of its kind; kinds without rules of their own get plain ones. */
export function builtInResource(builtIn: BuiltInResource, rules: KindRules | undefined): ServedResource {
  const subresources = new Map(builtIn.subresources.map((subresource) => [subresource.name, subresource]));
  const storedElsewhere = storedAs[`${apiVersionOf(builtIn)}/${builtIn.plural}`];
  return {
    resource: builtIn,
    rules: rules ?? plainRules(builtIn),
    verbs: new Set(builtIn.verbs),
    subresources,
    bucket: storedElsewhere?.bucket ?? bucketName(builtIn.group, builtIn.plural),
    bareItems: true,
    body: builtInBody(builtIn),
    conversion: storedElsewhere?.conversion(),
    custom: false,
    inProtobuf: hasProtobuf(apiVersionOf(builtIn), builtIn.kind),
    deletionHold: deletionHolds[bucketName(builtIn.group, builtIn.plural)],
    scale: builtIn.subresources.some(({ name }) => name === "scale") ? workloadScale : undefined,
  };
}

/** Resources that show the objects of another one, in a form of their own. */
const storedAs: Readonly<Record<string, { readonly bucket: string; readonly conversion: () => Conversion }>> =
  {
    "events.k8s.io/v1/events": { bucket: "events", conversion: eventConversion },
    "autoscaling/v1/horizontalpodautoscalers": {
      bucket: "autoscaling/horizontalpodautoscalers",
      conversion: autoscalerConversion,
    },
  };

const deletionHolds: Readonly<Record<string, ServedResource["deletionHold"]>> = {
  namespaces: holdNamespace,
  [definitionBucket]: holdDefinition,
};

/** Checks of what a definition leaves open; each returns what does not fit its type. */
const looseChecks: Readonly<Record<string, (draft: Draft) => string | undefined>> = {
  [definitionBucket]: checkLooseSchemas,
};

/** For a kind without rules of its own: no defaults but those of the wire form, no checks beyond metadata. */
function plainRules(builtIn: BuiltInResource): KindRules {
  const isRbac = builtIn.group === "rbac.authorization.k8s.io";
  if (builtIn.kind === "HorizontalPodAutoscaler")
    return defineKind(builtIn, rulesBy(autoscalerToV2, defaultUtilization));
  return defineKind(builtIn, {
    ...(/^v\d+$/.test(builtIn.version) && { declaredRules: true }),
    ...(isRbac ? { nameFormat: "pathSegment" } : {}),
  });
}

const deduced: FieldSchema = { kind: "deduced" };

function builtInBody(builtIn: BuiltInResource): BodySchema {
  const apiVersion = apiVersionOf(builtIn);
  const looseParts = looseChecks[bucketName(builtIn.group, builtIn.plural)];
  const fields = builtInSchema(apiVersion, builtIn.kind) ?? deduced;
  let empty: Readonly<Record<string, unknown>> | undefined;
  const checkWith = (draft: Draft, check: (type: Definition) => BodyCheck): BodyCheck => {
    const definition = definitionOf(apiVersion, builtIn.kind);
    if (definition === undefined) return { unknown: [], problem: undefined };
    const { unknown, problem } = check(definition);
    return { unknown, problem: problem ?? looseParts?.(draft) };
  };
  return {
    check: (draft, numbers) => checkWith(draft, (type) => checkBuiltInBody(draft, type, undefined, numbers)),
    checkMerged: (draft) => checkWith(draft, (type) => checkMergedBody(draft, type)),
    fields,
    get empty() {
      const type = goStruct(definitionOf(apiVersion, builtIn.kind)?.name ?? "");
      return (empty ??= inOneGo(completeObject(fields, type === undefined ? {} : zeroOf(type))));
    },
    openApi: undefined,
    strategic: (original, patch) => {
      const schema = patchSchemaOf(apiVersion, builtIn.kind);
      if (schema === undefined) throw new Error(`no schema for ${apiVersion} ${builtIn.kind}`);
      return applyStrategicMergePatch(asJson(original), patch, schema);
    },
  };
}
