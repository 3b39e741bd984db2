import { afterEach, beforeEach, expect, test } from "vitest";
import { resources } from "../../pkg/api/resources.ts";
import type { ValidatingAdmissionPolicy } from "../../pkg/api/types/admissionregistration-v1.gen.ts";
import { internal } from "../../pkg/apiserver/server/status-error.ts";
import { type ControllerWorld, lineOf, newWorld } from "../../test/harness/controller-world.ts";
import { DiscoveryFaults } from "../../test/harness/discovery-faults.ts";
import { policyStatusController } from "./controller.ts";

const { validatingAdmissionPolicies: policies } = resources;
const written = "patch validatingadmissionpolicies/status p";

let world: ControllerWorld;
beforeEach(async () => {
  world = await newWorld();
});
afterEach(async () => world.stop());

const start = async () => world.start(policyStatusController({ workers: 2 }));
const get = async () => world.get<ValidatingAdmissionPolicy>(policies, "p");
const warnings = async (): Promise<readonly string[]> =>
  ((await get()).status?.typeChecking?.expressionWarnings ?? []).map(({ fieldRef }) => fieldRef);

async function create(expression: string, group = "apps", resource = "deployments"): Promise<void> {
  const rule = { apiGroups: [group], apiVersions: ["v1"], operations: ["*"], resources: [resource] };
  await world.create<ValidatingAdmissionPolicy>(policies, {
    metadata: { name: "p" },
    spec: {
      matchConstraints: { resourceRules: [rule] },
      validations: [{ expression }],
      paramKind: { apiVersion: "v1", kind: "ConfigMap" },
    },
  });
}

test("a policy is told once of each generation what is wrong with it", async () => {
  await create("object.spec.replicas == 'a'");
  await start();
  const [write] = world.takeWrites();
  expect(write && lineOf(write)).toBe(written);
  const { status, metadata } = await get();
  expect(status?.observedGeneration).toBe(1);
  expect(await warnings()).toEqual(["spec.validations[0].expression"]);
  expect(
    metadata.managedFields?.map(({ manager, operation, subresource }) => [manager, operation, subresource]),
  ).toContainEqual(["validatingadmissionpolicy-status", "Apply", "status"]);
  await world.update<ValidatingAdmissionPolicy>(policies, "p", (policy) => ({
    ...policy,
    metadata: { ...policy.metadata, labels: { a: "b" } },
  }));
  await world.run(60_000);
  expect(world.takeWrites()).toEqual([]);
  await world.update<ValidatingAdmissionPolicy>(policies, "p", (policy) => ({
    ...policy,
    spec: { ...policy.spec, validations: [{ expression: "params.data['a'] == 'b'" }] },
  }));
  await world.run();
  expect(world.takeWrites().map(lineOf)).toEqual([written]);
  expect([(await get()).status?.observedGeneration, await warnings()]).toEqual([2, []]);
});

test("types of params are those of their kind", async () => {
  await create("params.nope == 1 && object.spec.replicas == 1");
  await start();
  expect(await warnings()).toEqual(["spec.validations[0].expression"]);
});

test("who takes over writes nothing", async () => {
  await world.createWithStatus<ValidatingAdmissionPolicy>(policies, {
    metadata: { name: "p" },
    spec: {
      matchConstraints: {
        resourceRules: [
          { apiGroups: ["apps"], apiVersions: ["v1"], operations: ["*"], resources: ["deployments"] },
        ],
      },
      validations: [{ expression: "object.spec.replicas == 'a'" }],
    },
    status: { observedGeneration: 1 },
  });
  world.takeWrites();
  await start();
  await world.run(60_000);
  expect(world.takeWrites()).toEqual([]);
});

test("a status that cannot be written is tried again", async () => {
  await create("object.spec.replicas == 'a'");
  const repair = world.server.parts.faults.add({
    target: { verb: "patch", resource: "validatingadmissionpolicies" },
    action: { kind: "status", when: "before", error: internal("down") },
  });
  await start();
  expect((await get()).status?.observedGeneration).toBeUndefined();
  repair();
  await world.run(10_000);
  expect(await warnings()).toEqual(["spec.validations[0].expression"]);
});

// upstream: apiserver/pkg/admission/plugin/policy/validating/typechecking.go#typesToCheck passes over what it cannot map
test.each([
  ["of a version that cannot be discovered waits until it can be", "example.com", undefined, 1],
  ["of others is checked all the same", "apps", 1, 1],
  ["of others is checked all the same, though nobody has them", "other.example.com", 1, 1],
])("a policy %s", async (_, group, early, later) => {
  await world.stop();
  const discovery = new DiscoveryFaults();
  discovery.stale = "example.com";
  world = await newWorld({ transport: (server) => discovery.over(server) });
  await create("object.spec.replicas == 'a'", group, group === "apps" ? "deployments" : "things");
  await start();
  await world.run(10_000);
  expect((await get()).status?.observedGeneration).toBe(early);
  discovery.stale = undefined;
  await world.run(120_000);
  expect((await get()).status?.observedGeneration).toBe(later);
});

test("a policy that comes again under its name meanwhile is not told what is wrong with the one before", async () => {
  await create("object.spec.replicas == 'a'");
  world.server.parts.faults.add({
    target: { verb: "patch", resource: "validatingadmissionpolicies" },
    action: {
      kind: "interfere",
      run: async () => {
        await world.delete(policies, "p");
        await create("object.spec.replicas == 1");
      },
    },
    times: 1,
  });
  await start();
  await world.run(10_000);
  expect([(await get()).status?.observedGeneration, await warnings()]).toEqual([1, []]);
});

test("kinds of which nothing is known are left out", async () => {
  await create("object.nope == 1", "example.com", "nothings");
  await start();
  expect([(await get()).status?.observedGeneration, await warnings()]).toEqual([1, []]);
});
