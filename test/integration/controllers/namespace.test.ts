import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { namespaceController } from "../../../controllers/namespace/controller.ts";
import { findCondition } from "../../../pkg/api/conditions.ts";
import { resources } from "../../../pkg/api/resources.ts";
import type { Namespace } from "../../../pkg/api/types/core-v1.gen.ts";
import { clusterKinds, type ControllerCluster } from "../../harness/controller-clusters.ts";
import type { TestSpace } from "../../harness/test-space.ts";
import { createDefinition, custom } from "./custom-resources.ts";
import { deployment, pod } from "./workloads.ts";

// Names of upstream's functions (test/integration/namespace/ns_conditions_test.go) stand in front of each case.
describe.each(clusterKinds)("the namespace controller on the $name API server", ({ start }) => {
  let cluster: ControllerCluster;
  let space: TestSpace;
  beforeAll(async () => {
    cluster = await start();
    cluster.run([namespaceController({ workers: 5, syncPeriodMs: 36_000_000 })]);
  });
  beforeEach(async () => {
    space = await cluster.space();
  });
  afterAll(async () => cluster.stop());

  test("NamespaceCondition: what remains is told, and the namespace goes with it", async () => {
    await space.create(resources.pods, pod("pod"));
    const finalizers = ["custom.io/finalizer"];
    const held = deployment("held", 1);
    await space.create(resources.deployments, { ...held, metadata: { ...held.metadata, finalizers } });
    await remove();
    const seen = await space.until(
      "it has conditions",
      get,
      (seen) => findCondition(seen?.status?.conditions, "NamespaceFinalizersRemaining")?.status === "True",
    );
    expect(seen?.status?.conditions?.map(({ message }) => message)).toEqual([
      "All resources successfully discovered",
      "All legacy kube types successfully parsed",
      "All content successfully deleted, may be waiting on finalization",
      "Some resources are remaining: deployments.apps has 1 resource instances",
      "Some content in the namespace has finalizers remaining: custom.io/finalizer in 1 resource instances",
    ]);
    await space.patch(resources.deployments, "held", { metadata: { finalizers: null } });
    await untilGone();
  });

  test("NamespaceLabels: every namespace bears its name as a label", async () => {
    const { items } = await cluster.client.clientFor<Namespace>(resources.namespaces).list();
    expect(items.length).toBeGreaterThan(0);
    for (const { metadata } of items)
      expect(metadata.labels?.["kubernetes.io/metadata.name"]).toBe(metadata.name);
  });

  test("objects of custom resources go with their namespace, and those elsewhere stay", async () => {
    const definition = await createDefinition(cluster.client, "Namespaced");
    const elsewhere = await cluster.space();
    await space.create(definition, custom("here"));
    await elsewhere.create(definition, custom("there"));
    await remove();
    await untilGone();
    expect((await elsewhere.list(definition)).map(({ metadata }) => metadata.name)).toEqual(["there"]);
    expect(await space.list(definition)).toEqual([]);
  });

  async function remove(): Promise<void> {
    await cluster.client.clientFor(resources.namespaces).delete({ name: space.namespace });
  }

  async function get(): Promise<Namespace | undefined> {
    const { items } = await cluster.client
      .clientFor<Namespace>(resources.namespaces)
      .list({ fieldSelector: `metadata.name=${space.namespace}` });
    return items[0];
  }

  async function untilGone(): Promise<void> {
    await space.until("the namespace is gone", get, (seen) => seen === undefined);
  }
});
