import { describe, expect, test } from "vitest";
import { formatTime } from "../../api/time.ts";
import type { Container, Pod, PodSpec, PodStatus } from "../../api/types/core-v1.gen.ts";
import { decidePodLife, STOPS_AFTER_ANNOTATION } from "./pod-life.ts";

const START_MS = Date.UTC(2026, 0, 1);
const PLACE = { hostIP: "172.16.0.1", podIP: "10.0.0.1" };

/** Follows a pod from decision to decision until nothing changes any more, or the time is over. */
function live(pod: Pod, forMs: number): { readonly log: readonly string[]; readonly pod: Pod } {
  const log: string[] = [];
  let current = pod;
  let nowMs = START_MS;
  while (nowMs <= START_MS + forMs) {
    const plan = decidePodLife(current, PLACE, nowMs);
    if (plan.status !== undefined) {
      current = { ...current, status: plan.status };
      const text = describeStatus(plan.status);
      if (log.at(-1)?.endsWith(text) !== true) log.push(`${(nowMs - START_MS) / 1_000}s ${text}`);
    }
    if (plan.remove) return { log: [...log, "removed"], pod: current };
    if (plan.recheckAtMs === undefined && plan.status === undefined) break;
    nowMs = plan.recheckAtMs ?? nowMs;
  }
  return { log, pod: current };
}

function describeStatus(status: PodStatus): string {
  const statuses = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
  const containers = statuses.map(({ state, ready, restartCount }) => {
    const what =
      state?.waiting?.reason ?? (state?.running ? "running" : `exit ${state?.terminated?.exitCode}`);
    return `${what}${ready ? " ready" : ""}${restartCount > 0 ? ` #${restartCount}` : ""}`;
  });
  return `${status.phase}: ${containers.join(", ")}`;
}

function pod(spec: Partial<PodSpec>, script?: string): Pod {
  return {
    metadata: {
      name: "p",
      namespace: "default",
      uid: "u",
      ...(script && { annotations: { "kcm.dev/script": script } }),
    },
    spec: { containers: [{ name: "c", image: "nginx" }], ...spec },
  };
}

const runs = (command: string): Container => ({
  name: "c",
  image: "busybox",
  command: ["sh", "-c", command],
});

describe("a pod's life", () => {
  test.each<[string, Pod, number, readonly string[]]>([
    ["a server", pod({}), 60_000, ["0s Running: running ready"]],
    [
      "a job that succeeds",
      pod({ restartPolicy: "Never", containers: [runs("sleep 5")] }),
      60_000,
      ["0s Running: running ready", "5s Succeeded: exit 0"],
    ],
    [
      "a job that fails for good",
      pod({ restartPolicy: "Never", containers: [runs("sleep 1; exit 3")] }),
      60_000,
      ["0s Running: running ready", "1s Failed: exit 3"],
    ],
    [
      "a job of which one half fails",
      pod({ restartPolicy: "Never", containers: [runs("sleep 1"), { ...runs("exit 3"), name: "d" }] }),
      60_000,
      ["0s Running: running ready, exit 3", "1s Failed: exit 0, exit 3"],
    ],
    [
      "failures are tried again, the first at once, then after 10 s, 20 s",
      pod({ restartPolicy: "OnFailure", containers: [runs("sleep 1; exit 1")] }),
      40_000,
      [
        "0s Running: running ready",
        "1s Running: running ready #1",
        "2s Running: CrashLoopBackOff #1",
        "12s Running: running ready #2",
        "13s Running: CrashLoopBackOff #2",
        "33s Running: running ready #3",
        "34s Running: CrashLoopBackOff #3",
      ],
    ],
    [
      "init containers go one by one",
      pod({
        initContainers: [
          { ...runs("sleep 2"), name: "i1" },
          { ...runs("sleep 3"), name: "i2" },
        ],
      }),
      60_000,
      [
        "0s Pending: running ready, PodInitializing, PodInitializing",
        "2s Pending: exit 0, running ready, PodInitializing",
        "5s Running: exit 0, exit 0, running ready",
      ],
    ],
    [
      "a sidecar lets the next one go on",
      pod({ initContainers: [{ name: "s", image: "proxy", restartPolicy: "Always" }] }),
      60_000,
      ["0s Running: running ready, running ready"],
    ],
    [
      "an init container that fails for good",
      pod({ restartPolicy: "Never", initContainers: [{ ...runs("exit 1"), name: "i" }] }),
      60_000,
      ["0s Failed: exit 1, PodInitializing"],
    ],
    [
      "probes pass after their delay",
      pod({
        containers: [
          { name: "c", readinessProbe: { initialDelaySeconds: 4, periodSeconds: 2, successThreshold: 2 } },
        ],
      }),
      60_000,
      ["0s Running: running", "6s Running: running ready"],
    ],
    [
      "a script makes it ready and not",
      pod({}, "sleep 1; ready; sleep 1; unready; run"),
      60_000,
      ["0s Running: running", "1s Running: running ready", "2s Running: running"],
    ],
    [
      "the deadline ends it",
      pod({ activeDeadlineSeconds: 30 }),
      60_000,
      ["0s Running: running ready", "30s Failed: exit 143"],
    ],
    [
      "an image that does not exist",
      pod({ containers: [{ name: "c", image: "does-not-exist:1" }] }),
      60_000,
      ["0s Pending: ErrImagePull", "0s Pending: ImagePullBackOff"],
    ],
  ])("%s", (_, subject, forMs, expected) => {
    expect(live(subject, forMs).log).toEqual(expected);
  });
});

describe("conditions", () => {
  const conditionOf = (subject: Pod, type: string): string | undefined =>
    live(subject, 0).pod.status?.conditions?.find((condition) => condition.type === type)?.status;

  test("a running pod is ready, with an address", () => {
    const { status } = live(pod({}), 0).pod;
    expect(status).toMatchObject({
      podIP: "10.0.0.1",
      hostIP: "172.16.0.1",
      startTime: formatTime(START_MS),
    });
    expect(conditionOf(pod({}), "Ready")).toBe("True");
  });

  test("a readiness gate holds Ready back until its condition is there", () => {
    const gated = pod({ readinessGates: [{ conditionType: "my/gate" }] });
    expect(conditionOf(gated, "ContainersReady")).toBe("True");
    expect(conditionOf(gated, "Ready")).toBe("False");
    const open: Pod = { ...gated, status: { conditions: [{ type: "my/gate", status: "True" }] } };
    expect(conditionOf(open, "Ready")).toBe("True");
    expect(conditionOf(open, "my/gate")).toBe("True");
  });
});

describe("a pod that is being deleted", () => {
  const leaving = (annotations: Record<string, string>, graceSeconds: number): Pod => {
    const running = live(pod({}), 0).pod;
    const deletionTimestamp = formatTime(START_MS + graceSeconds * 1_000);
    const metadata = {
      ...running.metadata,
      annotations,
      deletionTimestamp,
      deletionGracePeriodSeconds: graceSeconds,
    };
    return { ...running, metadata };
  };

  test("ends at once, by SIGTERM, and is removed", () => {
    expect(live(leaving({}, 30), 60_000).log).toEqual(["0s Failed: exit 143", "removed"]);
  });

  test("takes the time that it asks for", () => {
    expect(live(leaving({ [STOPS_AFTER_ANNOTATION]: "5" }, 30), 60_000).log).toEqual([
      "5s Failed: exit 143",
      "removed",
    ]);
  });

  test("but no more than the grace period", () => {
    expect(live(leaving({ [STOPS_AFTER_ANNOTATION]: "99" }, 30), 60_000).log).toEqual([
      "30s Failed: exit 143",
      "removed",
    ]);
  });

  test("is removed without a word when it never ran", () => {
    const never: Pod = {
      ...pod({}),
      metadata: { ...pod({}).metadata, deletionTimestamp: formatTime(START_MS) },
    };
    expect(live(never, 0).log).toEqual(["removed"]);
    const held = {
      ...never,
      metadata: { ...never.metadata, finalizers: ["batch.kubernetes.io/job-tracking"] },
    };
    expect(live(held, 0).log).toEqual(["0s Failed: ", "removed"]);
  });
});
