import { afterEach, beforeEach, expect, test } from "vitest";
import { resources } from "../../pkg/api/resources.ts";
import type { ClusterRole, PolicyRule } from "../../pkg/api/types/rbac-v1.gen.ts";
import { internal } from "../../pkg/apiserver/server/status-error.ts";
import { type ControllerWorld, lineOf, newWorld } from "../../test/harness/controller-world.ts";
import { clusterRoleAggregationController } from "./controller.ts";

const MANAGER = "clusterrole-aggregation-controller";
const read: PolicyRule = { apiGroups: [""], resources: ["pods"], verbs: ["get"] };
const write: PolicyRule = { apiGroups: [""], resources: ["pods"], verbs: ["create"] };

let world: ControllerWorld;
beforeEach(async () => {
  world = await newWorld();
  await world.create<ClusterRole>(resources.clusterRoles, aggregated("view", "view"));
  await world.start(clusterRoleAggregationController());
});
afterEach(async () => world.stop());

test("rules come and go with the roles that are selected", async () => {
  await world.create<ClusterRole>(resources.clusterRoles, part("a", "view", [read]));
  await world.run();
  expect(await rulesOf("view")).toEqual([read]);
  await world.create<ClusterRole>(resources.clusterRoles, part("b", "view", [write]));
  await world.run();
  expect(await rulesOf("view")).toEqual([read, write]);
  await world.delete(resources.clusterRoles, "a");
  await world.run();
  expect(await rulesOf("view")).toEqual([write]);
  await world.delete(resources.clusterRoles, "b");
  await world.run();
  expect(await rulesOf("view")).toEqual([]);
});

test("rules pass through roles that are aggregated and selected themselves", async () => {
  await world.create<ClusterRole>(resources.clusterRoles, aggregated("edit", "edit"));
  await world.update<ClusterRole>(resources.clusterRoles, "view", (view) => ({
    ...view,
    metadata: { ...view.metadata, labels: { "to-edit": "true" } },
  }));
  await world.create<ClusterRole>(resources.clusterRoles, part("a", "view", [read]));
  await world.run();
  expect(await rulesOf("edit")).toEqual([read]);
});

test("nothing is applied twice while the cache has yet to see it", async () => {
  let release = (): void => undefined;
  world.server.parts.faults.add({
    target: { verb: "patch", resource: "clusterroles" },
    action: {
      kind: "interfere",
      run: async () => {
        await world.create<ClusterRole>(resources.clusterRoles, part("unrelated", "edit", [write]));
        release = world.server.parts.faults.holdWatches({ resource: "clusterroles" });
      },
    },
    times: 1,
  });
  await world.create<ClusterRole>(resources.clusterRoles, part("a", "view", [read]));
  await world.run();
  release();
  await world.run();
  expect(world.takeWrites().map(lineOf)).toEqual(["patch clusterroles view"]);
  expect(await rulesOf("view")).toEqual([read]);
});

test("rules are applied by force in the name that older managers used too, and only when they change", async () => {
  await world.update<ClusterRole>(resources.clusterRoles, "view", (view) => ({ ...view, rules: [write] }));
  await world.run();
  world.takeWrites();
  await world.create<ClusterRole>(resources.clusterRoles, part("a", "view", [read]));
  await world.run();
  expect(world.takeWrites().map(lineOf)).toEqual(["patch clusterroles view"]);
  const { metadata } = await world.get<ClusterRole>(resources.clusterRoles, "view");
  const entry = metadata.managedFields?.find(({ manager }) => manager === MANAGER);
  expect(entry).toMatchObject({ operation: "Apply", fieldsV1: { "f:rules": {} } });
  await world.update<ClusterRole>(resources.clusterRoles, "a", (role) => ({
    ...role,
    metadata: { ...role.metadata, annotations: { changed: "yes" } },
  }));
  await world.run();
  expect(world.takeWrites()).toEqual([]);
});

test("a role that cannot be written is tried again", async () => {
  const repair = world.server.parts.faults.add({
    target: { verb: "patch", resource: "clusterroles" },
    action: { kind: "status", when: "before", error: internal("down") },
  });
  await world.create<ClusterRole>(resources.clusterRoles, part("a", "view", [read]));
  await world.run();
  repair();
  await world.run(10_000);
  expect(await rulesOf("view")).toEqual([read]);
});

async function rulesOf(name: string): Promise<readonly PolicyRule[]> {
  return (await world.get<ClusterRole>(resources.clusterRoles, name)).rules ?? [];
}

function aggregated(name: string, part: string): ClusterRole {
  const clusterRoleSelectors = [{ matchLabels: { [`to-${part}`]: "true" } }];
  return { metadata: { name }, aggregationRule: { clusterRoleSelectors }, rules: [] };
}

function part(name: string, whole: string, rules: readonly PolicyRule[]): ClusterRole {
  return { metadata: { name, labels: { [`to-${whole}`]: "true" } }, rules };
}
