import {
  condition,
  conditionsSchema,
  controller,
  type ControllerDescriptor,
  PermanentError,
} from "../../../pkg/controller/index.ts";
import { defineCrd } from "../../../pkg/crd/define-crd.ts";
import type { FakeCloud } from "./cloud.ts";

const text = { type: "string" } as const;

/** A bucket in a cloud. */
export const Bucket = defineCrd({
  group: "cloud.example.com",
  version: "v1",
  kind: "Bucket",
  scope: "Namespaced",
  spec: { type: "object", required: ["region"], properties: { region: text } },
  status: {
    type: "object",
    properties: { observedGeneration: { type: "integer" }, conditions: conditionsSchema },
  },
});

const REGIONS: ReadonlySet<string> = new Set(["here", "there"]);

/** Keeps a bucket in the cloud for each Bucket. */
export const bucketOperator = (cloud: FakeCloud): ControllerDescriptor =>
  controller("bucket-operator", Bucket)
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
