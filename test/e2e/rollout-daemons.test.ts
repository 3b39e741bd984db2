import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { resources } from "../../pkg/api/resources.ts";
import type { ClientBuilder } from "../../pkg/client/client-builder.ts";
import { clientsOf } from "../harness/admin-client.ts";
import { Daemon, ourProgram } from "../harness/daemon.ts";
import { HOLLOW_WORLD_FLAGS, type HollowWorld, startHollowWorld } from "../harness/hollow-world.ts";
import { hasRealCluster, type RealCluster, startRealCluster } from "../harness/real-cluster.ts";

const program = process.env["KUBECTL"] ?? "kubectl";
const run = promisify(execFile);
const NODES = 3;
const FLAGS = ["--leader-elect=false", "--secure-port=0", "--controllers=daemonset-controller"];

describe.runIf(hasRealCluster())(
  "kubectl rollout of DaemonSets, with our daemon in charge of a real API server",
  () => {
    let cluster: RealCluster;
    let daemon: Daemon;
    let clients: ClientBuilder;
    let world: HollowWorld;
    let name = "";
    let count = 0;

    const kubectl = async (...args: readonly string[]): Promise<string> =>
      (await run(program, ["--kubeconfig", cluster.kubeconfig, ...args])).stdout;
    const rollout = async (verb: string, ...args: readonly string[]): Promise<string> =>
      kubectl("rollout", verb, `daemonset/${name}`, ...args);
    const complete = async (): Promise<string> => rollout("status", "--timeout=60s");
    const setImage = async (image: string): Promise<string> =>
      kubectl("set", "image", `daemonset/${name}`, `app=${image}`);
    const podNames = async (): Promise<readonly string[]> =>
      (await kubectl("get", "pods", "-l", `app=${name}`, "-o", "name")).trim().split("\n");
    const podImages = async (): Promise<readonly string[]> => {
      const text = await kubectl("get", "pods", "-l", `app=${name}`, "-o", "jsonpath={..image}");
      return [...new Set(text.split(" ").filter((each) => each.startsWith("app:")))].sort();
    };
    const revisions = async (): Promise<readonly string[]> =>
      (await rollout("history")).split("\n").flatMap((line) => /^(\d+)\s/.exec(line)?.[1] ?? []);

    beforeAll(async () => {
      cluster = await startRealCluster({ apiServerFlags: HOLLOW_WORLD_FLAGS });
      clients = await clientsOf(cluster.kubeconfig);
      world = startHollowWorld(clients, NODES);
      daemon = new Daemon(ourProgram, [`--kubeconfig=${cluster.kubeconfig}`, ...FLAGS]);
    });
    afterAll(async () => {
      await daemon.end("SIGTERM");
      await world.stop();
      await clients.close();
      await cluster.stop();
    });
    beforeEach(async () => {
      name = `agent-${++count}`;
      const labels = { app: name };
      await clients
        .client("test")
        .clientFor(resources.daemonSets)
        .create({
          metadata: { name, namespace: "default" },
          spec: {
            selector: { matchLabels: labels },
            template: {
              metadata: { labels },
              spec: { terminationGracePeriodSeconds: 0, containers: [{ name: "app", image: "app:1" }] },
            },
          },
        });
      await complete();
    });

    test("status follows a rollout to its end, and waits for one that hangs", async () => {
      await setImage("app:2");
      expect(await complete()).toContain(`daemon set "${name}" successfully rolled out`);
      expect(await podImages()).toEqual(["app:2"]);
      await setImage("app:does-not-exist");
      await expect(rollout("status", "--timeout=3s")).rejects.toThrow("timed out waiting for the condition");
      expect(await rollout("status", "--watch=false")).toMatch(/1 out of 3 new pods have been updated/);
    });

    test("history lists revisions with their causes, and shows the template of one", async () => {
      const cause = async (text: string): Promise<string> =>
        kubectl("annotate", "--overwrite", "daemonset", name, `kubernetes.io/change-cause=${text}`);
      await cause("the second image");
      await setImage("app:2");
      await complete();
      expect(await rollout("history")).toMatch(/1\s+<none>\n2\s+the second image/);
      expect(await rollout("history", "--revision=1")).toMatch(/revision #1[\s\S]*Image:\s+app:1/);
      expect(await rollout("history", "--revision=2")).toMatch(/revision #2[\s\S]*Image:\s+app:2/);
    });

    test("undo returns to the revision before, or to any that is kept, which becomes the newest", async () => {
      for (const image of ["app:2", "app:3"]) {
        await setImage(image);
        await complete();
      }
      await rollout("undo");
      await complete();
      expect(await podImages()).toEqual(["app:2"]);
      expect(await revisions()).toEqual(["1", "3", "4"]);
      await rollout("undo", "--to-revision=1");
      await complete();
      expect(await podImages()).toEqual(["app:1"]);
      expect(await revisions()).toEqual(["3", "4", "5"]);
      await expect(rollout("undo", "--to-revision=1")).rejects.toThrow("unable to find specified revision");
    });

    test("restart replaces every pod under the same image", async () => {
      const before = await podNames();
      await rollout("restart");
      await complete();
      expect((await podNames()).filter((pod) => before.includes(pod))).toEqual([]);
      expect(await podImages()).toEqual(["app:1"]);
      expect(await revisions()).toEqual(["1", "2"]);
    });
  },
);
