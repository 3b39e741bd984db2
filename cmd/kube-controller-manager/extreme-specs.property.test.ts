import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ApiObject } from "../../pkg/api/object.ts";
import type { TypedResource } from "../../pkg/api/resource.ts";
import { resources } from "../../pkg/api/resources.ts";
import { ApiError } from "../../pkg/client/errors.ts";
import { forbidden } from "../../pkg/apiserver/server/status-error.ts";
import { ControllerWorld, NAMESPACE } from "../../test/harness/controller-world.ts";
import { HollowKubelet } from "../../test/harness/hollow-kubelet.ts";
import { longestStretchMs } from "../../test/harness/cpu-time.ts";
import { resolveOptions } from "./options/resolve.ts";
import { registry } from "./registry.ts";

/** What a user may hold the event loop for, of all other controllers and of the lease. */
const LIMIT_MS = 50;
/** A first go may have to compile, and any may have to collect garbage: too long is what is so each time. */
const GOES = 3;
const MOST_PODS = 40;

const LABELS = { app: "extreme" };
const template = {
  metadata: { labels: LABELS },
  spec: { containers: [{ name: "c", image: "i", resources: { requests: { cpu: "1m" } } }] },
};
const untilDone = { ...template, spec: { ...template.spec, restartPolicy: "Never" } };
const INT32_MAX = 2 ** 31 - 1;
const number = fc.constantFrom(0, 1, 2, 7, 1_000, 100_000, 1_000_000, INT32_MAX - 1, INT32_MAX);
const share = fc.oneof(number, fc.constantFrom("0%", "1%", "50%", "100%"));
const some = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(value, { nil: undefined });

interface Extreme {
  readonly resource: TypedResource<ApiObject>;
  /** What is tried in any case, as chance seldom makes it so that the API server accepts it. */
  readonly surely?: readonly Readonly<Record<string, unknown>>[];
  readonly object: fc.Arbitrary<Readonly<Record<string, unknown>>>;
}

const workload = {
  replicas: some(number),
  minReadySeconds: some(number),
  revisionHistoryLimit: some(number),
};
const selector = fc.constant({ matchLabels: LABELS });

/** Kinds whose specs have numbers, and numbers that may stand there; what the API server refuses is passed over. */
const extremes: Readonly<Record<string, Extreme>> = {
  ReplicaSet: {
    resource: resources.replicaSets,
    object: fc.record({ spec: fc.record({ ...workload, selector, template: fc.constant(template) }) }),
  },
  ReplicationController: {
    resource: resources.replicationControllers,
    object: fc.record({
      spec: fc.record({
        ...workload,
        selector: fc.constant(LABELS),
        template: fc.constant(template),
      }),
    }),
  },
  Deployment: {
    resource: resources.deployments,
    object: fc.record({
      spec: fc.record({
        ...workload,
        selector,
        template: fc.constant(template),
        progressDeadlineSeconds: some(number),
        strategy: some(
          fc.record({ rollingUpdate: fc.record({ maxSurge: some(share), maxUnavailable: some(share) }) }),
        ),
      }),
    }),
  },
  StatefulSet: {
    resource: resources.statefulSets,
    object: fc.record({
      spec: fc.record({
        ...workload,
        serviceName: fc.constant("extreme"),
        selector,
        template: fc.constant(template),
        podManagementPolicy: some(fc.constantFrom("OrderedReady", "Parallel")),
        ordinals: some(fc.record({ start: number })),
        updateStrategy: some(
          fc.record({ rollingUpdate: fc.record({ partition: some(number), maxUnavailable: some(share) }) }),
        ),
      }),
    }),
  },
  DaemonSet: {
    resource: resources.daemonSets,
    object: fc.record({
      spec: fc.record({
        minReadySeconds: some(number),
        revisionHistoryLimit: some(number),
        selector,
        template: fc.constant(template),
        updateStrategy: some(
          fc.record({ rollingUpdate: fc.record({ maxSurge: some(share), maxUnavailable: some(share) }) }),
        ),
      }),
    }),
  },
  Job: {
    resource: resources.jobs,
    surely: [
      { spec: { completionMode: "Indexed", completions: INT32_MAX, parallelism: 2, template: untilDone } },
      { spec: { completions: INT32_MAX, parallelism: INT32_MAX, template: untilDone } },
    ],
    object: fc.record({
      spec: fc.record({
        parallelism: some(number),
        completions: some(number),
        backoffLimit: some(number),
        backoffLimitPerIndex: some(number),
        maxFailedIndexes: some(number),
        activeDeadlineSeconds: some(number),
        ttlSecondsAfterFinished: some(number),
        completionMode: some(fc.constantFrom("Indexed", "NonIndexed")),
        podReplacementPolicy: some(fc.constantFrom("Failed", "TerminatingOrFailed")),
        suspend: some(fc.boolean()),
        template: fc.constant(untilDone),
      }),
    }),
  },
  CronJob: {
    resource: resources.cronJobs,
    object: fc.record({
      spec: fc.record({
        schedule: fc.constantFrom(
          "* * * * *",
          "* * * 1 *",
          "0 0 29 2 *",
          "0 0 31 11 *",
          "*/7 3-5 1,31 */5 0-6",
          "@yearly",
          "@every 1s",
          "@every 2540400h",
        ),
        timeZone: some(fc.constantFrom("Etc/UTC", "America/New_York", "Australia/Lord_Howe")),
        startingDeadlineSeconds: some(number),
        successfulJobsHistoryLimit: some(number),
        failedJobsHistoryLimit: some(number),
        concurrencyPolicy: some(fc.constantFrom("Allow", "Forbid", "Replace")),
        jobTemplate: fc.constant({
          spec: { template: untilDone },
        }),
      }),
      status: some(
        fc.record({
          lastScheduleTime: fc.constantFrom(
            "0001-01-01T00:00:01Z",
            "1970-01-01T00:00:00Z",
            "2024-02-29T00:00:00Z",
          ),
        }),
      ),
    }),
  },
  PodDisruptionBudget: {
    resource: resources.podDisruptionBudgets,
    object: fc.record({
      spec: fc.oneof(
        fc.record({ selector, minAvailable: share }),
        fc.record({ selector, maxUnavailable: share }),
      ),
    }),
  },
  ResourceQuota: {
    resource: resources.resourceQuotas,
    object: fc.record({
      spec: fc.record({
        hard: fc.dictionary(
          fc.constantFrom("pods", "requests.cpu", "limits.memory", "count/jobs.batch", "services"),
          fc.constantFrom("0", "1n", "9223372036854775807", "9E18", "1e-9", "8Ei"),
        ),
      }),
    }),
  },
  Service: {
    resource: resources.services,
    object: fc.record({
      spec: fc.record({
        selector: fc.constant(LABELS),
        ports: fc.uniqueArray(
          fc.record({
            name: fc.integer({ min: 0, max: 99 }).map((index) => `p${index}`),
            port: fc.integer({ min: 1, max: 65_535 }),
            targetPort: fc.constantFrom<string | number>("no-such-port", 1, 65_535),
          }),
          { minLength: 1, maxLength: 50, selector: ({ name }) => name },
        ),
      }),
    }),
  },
};

describe("no spec that the API server accepts holds up the event loop", () => {
  test.each(Object.entries(extremes))("%s", async (_, { resource, object, surely = [] }) => {
    let accepted = 0;
    await fc.assert(
      fc.asyncProperty(object, async (drawn) => {
        let shortest = Infinity;
        for (let go = 0; go < GOES && shortest >= LIMIT_MS; go++) {
          const stretch = await stretchOf(resource, drawn);
          if (stretch === undefined) return;
          shortest = Math.min(shortest, stretch);
        }
        accepted++;
        expect(shortest).toBeLessThan(LIMIT_MS);
      }),
      { numRuns: 25, examples: surely.map((one): [Readonly<Record<string, unknown>>] => [one]) },
    );
    expect(accepted).toBeGreaterThan(5);
  });
});

/** Undefined when the API server refuses it. */
async function stretchOf(
  resource: TypedResource<ApiObject>,
  drawn: Readonly<Record<string, unknown>>,
): Promise<number | undefined> {
  const world = new ControllerWorld();
  try {
    await prepare(world);
    let isAccepted = false;
    // Controllers begin as soon as they hear of it.
    const stretch = await longestStretchMs(async () => {
      isAccepted = await isCreated(world, resource, drawn);
      if (isAccepted) await live(world);
    });
    return isAccepted ? stretch : undefined;
  } finally {
    await world.stop();
  }
}

/** False when the API server refuses it. */
async function isCreated(
  world: ControllerWorld,
  resource: TypedResource<ApiObject>,
  { status, ...rest }: Readonly<Record<string, unknown>>,
): Promise<boolean> {
  const object = JSON.parse(JSON.stringify({ ...rest, metadata: { name: "extreme" } })) as ApiObject;
  try {
    const created = await world.create(resource, object);
    if (status === undefined) return true;
    await world.client.clientFor(resource).updateStatus({ ...created, status } as ApiObject);
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.code === 422) return false;
    throw error;
  }
}

/** A while in which pods come up, and controllers that never come to rest go on. */
async function live(world: ControllerWorld): Promise<void> {
  const kubelet = new HollowKubelet({ client: world.client, clock: world.clock });
  for (let second = 0; second < 12; second++) {
    await world.run(1_000);
    await kubelet.step();
  }
}

/** All controllers, two nodes, and a quota's answer to whoever wants too many pods. */
async function prepare(world: ControllerWorld): Promise<void> {
  await world.client.clientFor(resources.namespaces).create({ metadata: { name: NAMESPACE } });
  for (const name of ["node-1", "node-2"]) await world.create(resources.nodes, { metadata: { name } });
  let pods = 0;
  world.server.parts.faults.add({
    target: { verb: "create", resource: "pods" },
    action: {
      kind: "interfere",
      run: () => {
        if (++pods > MOST_PODS) throw forbidden({ group: "", plural: "pods" }, "", "exceeded quota");
      },
    },
  });
  const { options } = resolveOptions([], () => "");
  await world.start(...registry(options, { rootCa: () => "" }));
}
