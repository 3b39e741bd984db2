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
const FLAGS = ["--leader-elect=false", "--secure-port=0", "--controllers=statefulset-controller"];

describe.runIf(hasRealCluster())(
  "kubectl rollout of StatefulSets, with our daemon in charge of a real API server",
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
      kubectl("rollout", verb, `statefulset/${name}`, ...args);
    const complete = async (): Promise<string> => rollout("status", "--timeout=60s");
    const setImage = async (image: string): Promise<string> =>
      kubectl("set", "image", `statefulset/${name}`, `app=${image}`);
    const podsAre = async (path: string): Promise<readonly string[]> => {
      const text = await kubectl("get", "pods", "-l", `app=${name}`, "-o", `jsonpath={.items[*]${path}}`);
      return text.split(" ").filter((each) => each !== "");
    };
    const images = async (): Promise<readonly string[]> => podsAre(".spec.containers[0].image");
    const revisions = async (): Promise<readonly string[]> =>
      (await rollout("history")).split("\n").flatMap((line) => /^(\d+)\s/.exec(line)?.[1] ?? []);

    beforeAll(async () => {
      cluster = await startRealCluster({ apiServerFlags: HOLLOW_WORLD_FLAGS });
      clients = await clientsOf(cluster.kubeconfig);
      world = startHollowWorld(clients, 3);
      daemon = new Daemon(ourProgram, [`--kubeconfig=${cluster.kubeconfig}`, ...FLAGS]);
    });
    afterAll(async () => {
      await daemon.end("SIGTERM");
      await world.stop();
      await clients.close();
      await cluster.stop();
    });
    beforeEach(async () => {
      name = `db-${++count}`;
      const labels = { app: name };
      await clients
        .client("test")
        .clientFor(resources.statefulSets)
        .create({
          metadata: { name, namespace: "default" },
          spec: {
            replicas: 3,
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
      expect(await complete()).toContain("roll out complete: 3 new pods have been updated");
      expect(await images()).toEqual(["app:2", "app:2", "app:2"]);
      await setImage("app:does-not-exist");
      await expect(rollout("status", "--timeout=3s")).rejects.toThrow("timed out waiting for the condition");
      expect(await images()).toEqual(["app:2", "app:2", "app:does-not-exist"]);
    });

    test("status tells of a partition that has been reached", async () => {
      await kubectl(
        "patch",
        "statefulset",
        name,
        "-p",
        '{"spec":{"updateStrategy":{"rollingUpdate":{"partition":2}}}}',
      );
      await setImage("app:2");
      expect(await complete()).toContain("partitioned roll out complete: 1 new pods have been updated");
      expect(await images()).toEqual(["app:1", "app:1", "app:2"]);
    });

    test("history lists revisions with their causes, and shows the template of one", async () => {
      await kubectl("annotate", "statefulset", name, "kubernetes.io/change-cause=the second image");
      await setImage("app:2");
      await complete();
      expect(await rollout("history")).toMatch(/1\s+<none>\n2\s+the second image/);
      expect(await rollout("history", "--revision=1")).toMatch(/#1[\s\S]*Image:\s+app:1/);
      expect(await rollout("history", "--revision=2")).toMatch(/#2[\s\S]*Image:\s+app:2/);
    });

    test("undo returns to the revision before, or to any that is kept, which becomes the newest", async () => {
      for (const image of ["app:2", "app:3"]) {
        await setImage(image);
        await complete();
      }
      await rollout("undo");
      await complete();
      expect(new Set(await images())).toEqual(new Set(["app:2"]));
      expect(await revisions()).toEqual(["1", "3", "4"]);
      await rollout("undo", "--to-revision=1");
      await complete();
      expect(new Set(await images())).toEqual(new Set(["app:1"]));
      expect(await revisions()).toEqual(["3", "4", "5"]);
      await expect(rollout("undo", "--to-revision=1")).rejects.toThrow("unable to find specified revision");
    });

    test("restart replaces every pod under the same name and image", async () => {
      const [names, before] = [await podsAre(".metadata.name"), await podsAre(".metadata.uid")];
      await rollout("restart");
      await complete();
      expect(await podsAre(".metadata.name")).toEqual(names);
      expect((await podsAre(".metadata.uid")).filter((uid) => before.includes(uid))).toEqual([]);
      expect(new Set(await images())).toEqual(new Set(["app:1"]));
      expect(await revisions()).toEqual(["1", "2"]);
    });

    test("scale goes up and down by the last places", async () => {
      await kubectl("scale", "statefulset", name, "--replicas=5");
      await complete();
      await expect.poll(async () => podsAre(".metadata.name")).toHaveLength(5);
      await kubectl("scale", "statefulset", name, "--replicas=1");
      await expect.poll(async () => podsAre(".metadata.name")).toEqual([`${name}-0`]);
    });
  },
);
