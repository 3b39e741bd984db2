import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findCondition } from "../../pkg/api/conditions.ts";
import { resources } from "../../pkg/api/resources.ts";
import type {
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerStatus,
} from "../../pkg/api/types/autoscaling-v2.gen.ts";
import { realClock } from "../../pkg/clock/real.ts";
import { type AuditEvent, describeEvent } from "../harness/audit-log.ts";
import { Deployments } from "../harness/deployments.ts";
import { LoadMetrics, podsOfServer } from "../harness/load-metrics.ts";
import { serveMetrics } from "../harness/metrics-server.ts";
import { until } from "../harness/until.ts";
import { takeovers } from "./succession.ts";
import { effects, TakeoverStage } from "./takeover-stage.ts";

const NODES = 2;
/** On a machine that others use, too. */
const LIMIT_MS = 180_000;
const POLL_MS = 200;
const NAME = "web";
/** Where nothing ever happens. */
const RESTING = "resting";
/** There is one for each change of leaders. */
const shrinkingOf = ({ round }: { readonly round: string }): string => `shrinking-${round}`;
const PODS = 3;
/** A successor that does not wait for it scales in its first turn. */
const WINDOW_SECONDS = 12;
/** Every autoscaler has had several turns. */
const TURNS_MS = 2_500;
/** What is known of when a process begins to look may be so much too early. */
const UNSURE_MS = 4_000;
const PERIOD = "--horizontal-pod-autoscaler-sync-period=1s";
/** Thousandths of a core: each pod is to use fifty. */
const [BUSY, QUIET] = [PODS * 50, 50];

const containers = [{ name: "main", image: "main:1", resources: { requests: { cpu: "100m" } } }];

describe("another controller manager takes over autoscalers", { timeout: 4 * LIMIT_MS }, () => {
  let stage: TakeoverStage;
  let metrics: LoadMetrics;
  let endMetrics: () => Promise<void>;
  beforeAll(async () => {
    stage = await TakeoverStage.start(NODES, [PERIOD]);
    metrics = new LoadMetrics(podsOfServer(stage.client), () => realClock.nowMs());
    endMetrics = await serveMetrics(stage.client, metrics);
    for (const { from } of takeovers.slice(0, 1)) await stage.succession.lead(from);
    await Promise.all([RESTING, ...takeovers.map(shrinkingOf)].map(untilRestingIn));
  });
  afterAll(async () => {
    await stage?.stop();
    await endMetrics?.();
  });

  async function statusOf({ namespace }: Deployments): Promise<HorizontalPodAutoscalerStatus | undefined> {
    const client = stage.client.clientFor<HorizontalPodAutoscaler>(resources.horizontalPodAutoscalers);
    return (await client.get({ namespace, name: NAME })).status;
  }

  async function replicasOf(scene: Deployments): Promise<number | undefined> {
    return (await scene.get(NAME)).spec?.replicas;
  }

  /** A Deployment whose autoscaler finds that its pods bear what they are to bear. */
  async function untilRestingIn(namespace: string): Promise<void> {
    await stage.createNamespace(namespace);
    metrics.set(namespace, { cpu: { main: BUSY } });
    const scene = sceneIn(namespace);
    const labels = { app: NAME };
    const spec = { terminationGracePeriodSeconds: 0, containers };
    await scene.create(NAME, PODS, { template: { metadata: { labels }, spec } });
    await stage.client.clientFor<HorizontalPodAutoscaler>(resources.horizontalPodAutoscalers).create({
      metadata: { namespace, name: NAME },
      spec: {
        scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: NAME },
        maxReplicas: 2 * PODS,
        metrics: [
          {
            type: "Resource",
            resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } },
          },
        ],
        behavior: { scaleDown: { stabilizationWindowSeconds: WINDOW_SECONDS } },
      },
    });
    await until(`all is quiet in ${namespace}`, async () => isResting(scene), LIMIT_MS, POLL_MS);
  }

  function sceneIn(namespace: string): Deployments {
    return new Deployments(stage.client, namespace);
  }

  async function isResting(scene: Deployments): Promise<boolean> {
    const { status } = await scene.get(NAME);
    const { currentReplicas, desiredReplicas, currentMetrics, conditions } = (await statusOf(scene)) ?? {};
    const usage = currentMetrics?.[0]?.resource?.current.averageUtilization;
    const isActive = findCondition(conditions, "ScalingActive")?.status === "True";
    const counts = [status?.availableReplicas, status?.replicas, currentReplicas, desiredReplicas];
    return isActive && usage === 50 && counts.every((count) => count === PODS);
  }

  function writesTo({ namespace }: Deployments, actor: string): readonly AuditEvent[] {
    return stage.audit
      .writesOf(actor)
      .filter(({ objectRef }) => objectRef?.namespace === namespace && objectRef.resource !== "events");
  }

  /** Nobody waits until it has expired: the Go program does not give it back. */
  async function freeLease(): Promise<void> {
    const lease = { namespace: "kube-system", name: "kube-controller-manager" };
    await stage.client.clientFor(resources.leases).delete(lease);
  }

  test.each(takeovers)("$from.name → $next.name (round $round)", async ({ from, next, round }) => {
    if (!stage.succession.isLed) await stage.succession.lead(from);
    const [resting, shrinking] = [sceneIn(RESTING), sceneIn(shrinkingOf({ round }))];
    metrics.set(shrinking.namespace, { cpu: { main: QUIET } });
    const isHeld = async (): Promise<boolean> =>
      findCondition((await statusOf(shrinking))?.conditions, "AbleToScale")?.reason === "ScaleDownStabilized";
    await until("the window holds it", isHeld, LIMIT_MS, POLL_MS);

    const actor = await stage.succession.lead(next, freeLease);
    const startMs = realClock.monotonicMs();
    // Nobody knows what was recommended before: what there is counts as the first recommendation.
    const isScaled = async (): Promise<boolean> => (await replicasOf(shrinking)) !== PODS;
    await until("it is scaled", isScaled, LIMIT_MS, POLL_MS);
    expect(realClock.monotonicMs() - startMs).toBeGreaterThan(WINDOW_SECONDS * 1_000 - UNSURE_MS);
    expect(await replicasOf(shrinking)).toBe(1);
    const isDone = async (): Promise<boolean> => (await statusOf(shrinking))?.currentReplicas === 1;
    await until("the status says so", isDone, LIMIT_MS, POLL_MS);
    const afterMs = realClock.monotonicMs() + TURNS_MS;
    await until("all had their turns", () => realClock.monotonicMs() > afterMs, LIMIT_MS, POLL_MS);

    await stage.audit.read();
    expect(effects(writesTo(resting, actor))).toEqual([]);
    const scaled = writesTo(shrinking, actor).filter(({ objectRef }) => objectRef?.subresource === "scale");
    expect(scaled.map(describeEvent)).toHaveLength(1);
  });
});
