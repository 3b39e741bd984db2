import { expect, test } from "vitest";
import { LeaseLostError } from "../../pkg/leader/elector.ts";
import type { ControllerDescriptor } from "../../pkg/controller/env.ts";
import { shareControllers } from "./leader-migration.ts";
import type { ControllerLeader } from "./options/leader-migration-file.ts";
import { runShares } from "./run-shares.ts";

const descriptor = (name: string): ControllerDescriptor => ({
  name,
  clientName: name,
  build: () => ({ run: async () => undefined }),
});

function share(leaders: readonly ControllerLeader[], ...names: string[]): Record<string, readonly string[]> {
  const shares = shareControllers(names.map(descriptor), {
    leaderName: "test",
    controllerLeaders: leaders,
  });
  return Object.fromEntries(
    Object.entries(shares).map(([key, controllers]: [string, readonly ControllerDescriptor[]]) => [
      key,
      controllers.map(({ name }) => name),
    ]),
  );
}

const cloud = ["route-controller", "service-controller"];
const leaders = (component: string): readonly ControllerLeader[] =>
  cloud.map((name) => ({ name, component }));

test.each([
  ["this program", "kube-controller-manager", { migrated: cloud, unowned: [] }],
  ["any program", "*", { migrated: cloud, unowned: [] }],
  ["another program", "cloud-controller-manager", { migrated: [], unowned: cloud }],
])("controllers that %s is to run", (_who, component, expected) => {
  expect(share(leaders(component), "deployment-controller", ...cloud)).toEqual({
    main: ["deployment-controller"],
    ...expected,
  });
});

test("the controller of tokens stays under the main Lease", () => {
  const name = "serviceaccount-token-controller";
  expect(share([{ name, component: "*" }], name)).toEqual({ main: [name], migrated: [], unowned: [] });
});

test("the last line about a controller counts", () => {
  const name = "ttl-controller";
  const twice = [
    { name, component: "*" },
    { name, component: "cloud-controller-manager" },
  ];
  expect(share(twice, name).unowned).toEqual([name]);
});

async function untilAborted(signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

test("a stop ends both shares, and is not a failure", async () => {
  const stop = new AbortController();
  const ended: string[] = [];
  const running = runShares(
    async (signal) => untilAborted(signal).then(() => void ended.push("main")),
    async (signal) => untilAborted(signal).then(() => void ended.push("migrated")),
    stop.signal,
  );
  stop.abort();
  await running;
  expect(ended).toEqual(["main", "migrated"]);
});

test("a share that fails ends the other, and its failure is the outcome", async () => {
  const lost = new LeaseLostError("kube-system/test");
  let mainEnded = false;
  const running = runShares(
    async (signal) => untilAborted(signal).then(() => void (mainEnded = true)),
    async () => Promise.reject(lost),
    new AbortController().signal,
  );
  await expect(running).rejects.toBe(lost);
  expect(mainEnded).toBe(true);
});

test("with the main Lease lost, nobody waits for the second one's release", async () => {
  const leading = new AbortController();
  const running = runShares(untilAborted, async () => new Promise(() => undefined), leading.signal);
  leading.abort(new LeaseLostError("kube-system/kube-controller-manager"));
  await running;
  expect(leading.signal.aborted).toBe(true);
});
