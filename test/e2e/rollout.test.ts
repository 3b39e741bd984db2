import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { hollowNodes } from "../../pkg/embedded/hollow/hollow-nodes.ts";
import { scheduler } from "../../pkg/embedded/scheduler/scheduler.ts";
import { featureGates } from "../../pkg/api/feature-gates.ts";
import type { ClientBuilder } from "../../pkg/client/client-builder.ts";
import { realClock, realRandom } from "../../pkg/clock/real.ts";
import { silentLogger } from "../../pkg/log/logger.ts";
import { noMetrics } from "../../pkg/metrics/metrics.ts";
import { ControllerSet } from "../../pkg/reconcile/controller-set.ts";
import { clientsOf } from "../harness/admin-client.ts";
import { Daemon, ourProgram } from "../harness/daemon.ts";
import { hasRealCluster, type RealCluster, startRealCluster } from "../harness/real-cluster.ts";

const program = process.env["KUBECTL"] ?? "kubectl";
const run = promisify(execFile);
const FLAGS = [
  "--leader-elect=false",
  "--secure-port=0",
  "--controllers=deployment-controller,replicaset-controller",
];

describe.runIf(hasRealCluster())("kubectl rollout, with our daemon in charge of a real API server", () => {
  let cluster: RealCluster;
  let daemon: Daemon;
  let clients: ClientBuilder;
  let nodes: Promise<void>;
  const stop = new AbortController();
  let name = "";
  let count = 0;

  const kubectl = async (...args: readonly string[]): Promise<string> =>
    (await run(program, ["--kubeconfig", cluster.kubeconfig, ...args])).stdout;
  const rollout = async (verb: string, ...args: readonly string[]): Promise<string> =>
    kubectl("rollout", verb, `deployment/${name}`, ...args);
  const complete = async (): Promise<string> => rollout("status", "--timeout=60s");
  const field = async (path: string): Promise<string> =>
    kubectl("get", "deployment", name, "-o", `jsonpath={${path}}`);
  const image = async (): Promise<string> => field(".spec.template.spec.containers[0].image");
  const setImage = async (value: string): Promise<string> =>
    kubectl("set", "image", `deployment/${name}`, `app=${value}`);
  const podImages = async (): Promise<readonly string[]> => {
    const text = await kubectl("get", "pods", "-l", `app=${name}`, "-o", "jsonpath={..image}");
    return [...new Set(text.split(" ").filter((each) => each.startsWith("app:")))].sort();
  };
  const revisions = async (): Promise<readonly string[]> =>
    (await rollout("history")).split("\n").flatMap((line) => /^(\d+)\s/.exec(line)?.[1] ?? []);

  beforeAll(async () => {
    cluster = await startRealCluster({ apiServerFlags: ["--disable-admission-plugins=ServiceAccount"] });
    clients = await clientsOf(cluster.kubeconfig);
    const set = new ControllerSet({
      descriptors: [scheduler(), hollowNodes({ nodes: 2 })],
      clients,
      clock: realClock,
      random: realRandom,
      log: silentLogger,
      metrics: noMetrics,
      features: featureGates(),
      name: "nodes",
    });
    nodes = set.run(stop.signal);
    daemon = new Daemon(ourProgram, [`--kubeconfig=${cluster.kubeconfig}`, ...FLAGS]);
  });
  afterAll(async () => {
    await daemon.end("SIGTERM");
    stop.abort(new Error("the tests are over"));
    await nodes;
    await clients.close();
    await cluster.stop();
  });
  beforeEach(async () => {
    name = `web-${++count}`;
    await kubectl("create", "deployment", name, "--image=app:1", "--replicas=3");
    await complete();
  });

  test("status follows a rollout to its end, and tells of one that hangs", async () => {
    await setImage("app:2");
    expect(await complete()).toContain(`deployment "${name}" successfully rolled out`);
    expect(await podImages()).toEqual(["app:2"]);
    await setImage("app:does-not-exist");
    expect(await rollout("status", "--watch=false")).toMatch(/Waiting for deployment/);
    await kubectl("patch", "deployment", name, "-p", '{"spec":{"progressDeadlineSeconds":1}}');
    await expect(rollout("status", "--timeout=60s")).rejects.toThrow("exceeded its progress deadline");
  });

  test("history lists revisions with their causes, and shows the template of one", async () => {
    await kubectl("annotate", "deployment", name, "kubernetes.io/change-cause=the first image");
    await setImage("app:2");
    await kubectl("annotate", "deployment", name, "kubernetes.io/change-cause=the second image");
    await complete();
    await expect.poll(async () => rollout("history")).toMatch(/1\s+the first image\n2\s+the second image/);
    expect(await rollout("history", "--revision=1")).toMatch(/revision #1[\s\S]*Image:\s+app:1/);
    expect(await rollout("history", "--revision=2")).toMatch(/revision #2[\s\S]*Image:\s+app:2/);
  });

  test("undo returns to the revision before, which becomes the newest", async () => {
    await setImage("app:2");
    await complete();
    await rollout("undo");
    await complete();
    expect(await image()).toBe("app:1");
    expect(await podImages()).toEqual(["app:1"]);
    expect(await revisions()).toEqual(["2", "3"]);
  });

  test("undo --to-revision returns to any revision that is kept", async () => {
    for (const next of ["app:2", "app:3"]) {
      await setImage(next);
      await complete();
    }
    await rollout("undo", "--to-revision=1");
    await complete();
    expect(await podImages()).toEqual(["app:1"]);
    expect(await revisions()).toEqual(["2", "3", "4"]);
    await expect(rollout("undo", "--to-revision=1")).rejects.toThrow("unable to find");
  });

  test("pause holds changes back, and resume rolls them out as one revision", async () => {
    await rollout("pause");
    await setImage("app:2");
    await setImage("app:3");
    await expect
      .poll(async () => field(".status.conditions[?(@.type=='Progressing')].reason"))
      .toBe("DeploymentPaused");
    expect(await podImages()).toEqual(["app:1"]);
    await expect(rollout("undo", "--to-revision=1")).rejects.toThrow("cannot rollback a paused deployment");
    await rollout("resume");
    await complete();
    expect(await podImages()).toEqual(["app:3"]);
    expect(await revisions()).toEqual(["1", "2"]);
  });

  test("restart replaces every pod under the same image", async () => {
    const names = async (): Promise<readonly string[]> =>
      (await kubectl("get", "pods", "-l", `app=${name}`, "-o", "name")).trim().split("\n");
    const before = await names();
    await rollout("restart");
    await complete();
    const after = async (): Promise<readonly string[]> =>
      (await names()).filter((pod) => before.includes(pod));
    await expect.poll(after).toEqual([]);
    expect(await podImages()).toEqual(["app:1"]);
    expect(await revisions()).toEqual(["1", "2"]);
  });
});
