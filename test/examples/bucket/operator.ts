import type { NamespacedMeta } from "../../../pkg/api/object.ts";
import type { TypedResource } from "../../../pkg/api/resource.ts";
import type { CustomResourceDefinition } from "../../../pkg/api/types/apiextensions-v1.gen.ts";
import type { Condition } from "../../../pkg/api/types/meta.gen.ts";
import {
  condition,
  controller,
  type ControllerDescriptor,
  PermanentError,
} from "../../../pkg/controller/index.ts";
import type { FakeCloud } from "./cloud.ts";

export interface Bucket {
  readonly metadata: NamespacedMeta;
  readonly spec: { readonly region: string };
  readonly status?: { readonly conditions?: readonly Condition[]; readonly observedGeneration?: number };
}

export const buckets: TypedResource<Bucket> = {
  group: "cloud.example.com",
  version: "v1",
  plural: "buckets",
  kind: "Bucket",
  namespaced: true,
};

const REGIONS: ReadonlySet<string> = new Set(["here", "there"]);

/** Keeps a bucket in the cloud for each Bucket. */
export const bucketOperator = (cloud: FakeCloud): ControllerDescriptor =>
  controller("bucket-operator", buckets)
    .options({ timeoutMs: 60_000 })
    .reconcileOn(async function* (signal) {
      for await (const name of cloud.changes(signal)) {
        const [namespace = "", ...rest] = name.split("-");
        yield { namespace, name: rest.join("-") };
      }
    })
    .finalize(async ({ metadata: { namespace, name } }, ctx) => {
      await cloud.delete(`${namespace}-${name}`);
      ctx.event("Normal", "Deleted", "The bucket is gone from the cloud");
    })
    .onError((error, _, attempt) => {
      if (error instanceof PermanentError) return "drop";
      return { requeueAfterMs: Math.min(1_000 * 2 ** attempt, 60_000) };
    })
    .reconcile(async ({ metadata: { namespace, name }, spec: { region } }, ctx) => {
      if (!REGIONS.has(region)) {
        await ctx.status({}, condition("Ready", false, "NoSuchRegion", region));
        throw new PermanentError(`there is no region ${region}`);
      }
      const id = `${namespace}-${name}`;
      if ((await cloud.find(id)) === undefined) {
        ctx.decided("The cloud lacks the bucket", { id });
        await cloud.create({ name: id, region });
        ctx.event("Normal", "Created", `The bucket is in ${region}`);
      }
      await ctx.status({}, condition("Ready", true, "InTheCloud"));
    });

export const bucketDefinition: CustomResourceDefinition = {
  metadata: { name: "buckets.cloud.example.com" },
  spec: {
    group: "cloud.example.com",
    scope: "Namespaced",
    names: { plural: "buckets", singular: "bucket", kind: "Bucket", listKind: "BucketList" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: { type: "object", required: ["region"], properties: { region: { type: "string" } } },
              status: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
            },
          },
        },
      },
    ],
  },
};
