import { resources } from "../../pkg/api/resources.ts";
import { formatTime } from "../../pkg/api/time.ts";
import type { CustomResourceDefinition } from "../../pkg/api/types/apiextensions-v1.gen.ts";
import type { Condition, GroupResource } from "../../pkg/api/types/meta.gen.ts";
import type { V1beta1StorageVersionMigration as Migration } from "../../pkg/api/types/storagemigration-v1beta1.gen.ts";
import type { StatusError } from "../../pkg/apiserver/server/status-error.ts";
import {
  type ControllerWorld,
  lineOf,
  newWorld,
  type WorldOptions,
} from "../../test/harness/controller-world.ts";
import { storageVersionMigrator } from "./controller.ts";

/** A world with the migrator, and what is done in it. */
const { configMaps, customResourceDefinitions, storageVersionMigrations } = resources;
export const NAME = "storage-version-migrator-controller";
export const MAPS: GroupResource = { group: "", resource: "configmaps" };
export const WIDGETS: GroupResource = { group: "example.com", resource: "widgets" };
export const widgets = {
  group: "example.com",
  version: "v2",
  plural: "widgets",
  kind: "Widget",
  namespaced: true,
};
const OPTIONS: WorldOptions = {
  features: { StorageVersionMigrator: true },
  runtimeConfig: ["storagemigration.k8s.io/v1beta1"],
};

export let world: ControllerWorld;

export async function openWorld(options: WorldOptions = {}): Promise<void> {
  world = await newWorld({ ...OPTIONS, ...options });
}

export const start = async () => world.start(storageVersionMigrator({ collectsGarbage: true }));

export async function migrate(name: string, resource: GroupResource = MAPS): Promise<void> {
  await world.create<Migration>(storageVersionMigrations, { metadata: { name }, spec: { resource } });
}

/** One whose status is this already, made so long ago. */
export function keepMigration(
  name: string,
  {
    resource = MAPS,
    agoMs = 0,
    status = {},
  }: { resource?: GroupResource; agoMs?: number; status?: object } = {},
): void {
  world.keep<Migration>(storageVersionMigrations, {
    metadata: { name, creationTimestamp: formatTime(world.clock.nowMs() - agoMs) },
    spec: { resource },
    status,
  });
}

export const condition = (type: string, status = "True"): Condition => ({
  type,
  status,
  reason: "Test",
  message: "",
  lastTransitionTime: formatTime(world.clock.nowMs()),
});
export const RUNNING = () => [condition("Running")];

export async function createMaps(...names: readonly string[]): Promise<void> {
  for (const name of names) await world.create(configMaps, { metadata: { name } });
}

/** "Running", and what else is true of it. */
export async function statesOf(name: string): Promise<string> {
  const { status } = await world.get(storageVersionMigrations, name);
  const states = (status?.conditions ?? []).map(({ type, status: value }) =>
    value === "True" ? type : `not ${type}`,
  );
  return states.join(", ");
}

export async function messageOf(name: string, type = "Failed"): Promise<string | undefined> {
  const { status } = await world.get(storageVersionMigrations, name);
  return status?.conditions?.find((each) => each.type === type)?.message;
}

export const linesOf = (): readonly string[] => world.takeWrites().map(lineOf);
export const STATUS = "update storageversionmigrations/status";

const versions = (storage: string) =>
  ["v1", "v2"].map((name) => ({
    name,
    served: true,
    storage: name === storage,
    schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
  }));

export async function define(storage = "v1"): Promise<void> {
  await world.create<CustomResourceDefinition>(customResourceDefinitions, {
    metadata: { name: "widgets.example.com" },
    spec: {
      group: "example.com",
      names: { plural: "widgets", kind: "Widget" },
      scope: "Namespaced",
      versions: versions(storage),
    },
  });
  await world.run(100);
}

export async function storeAs(storage: string): Promise<void> {
  await storeIn(storage);
  await world.run(100);
}

export async function storeIn(storage: string): Promise<void> {
  await world.update(customResourceDefinitions, "widgets.example.com", (found) => ({
    ...found,
    spec: { ...found.spec, versions: versions(storage) },
  }));
}

export async function createWidgets(...names: readonly string[]): Promise<void> {
  for (const name of names)
    await world.client.dynamic(widgets).create({ metadata: { name, namespace: "default" } });
}

export const storedAs = (name: string): string | undefined =>
  world.server.parts.store.get("example.com/widgets", `default/${name}`)?.apiVersion;

export async function definition(): Promise<CustomResourceDefinition> {
  return world.get(customResourceDefinitions, "widgets.example.com");
}

export const refuse = (error: StatusError, target: object, times = Infinity): (() => void) =>
  world.server.parts.faults.add({ target, action: { kind: "status", when: "before", error }, times });
