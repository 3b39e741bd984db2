import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Daemon, ourProgram } from "../harness/daemon.ts";
import { firstHour } from "./first-hour/steps.ts";
import { kcmStage, type Stage } from "./first-hour/stage.ts";
import { KcmProcess } from "./kcm-process.ts";

/** Of events of that reason, each of which may stand for many. */
const COUNTS = "-o jsonpath={.items[*].count}";

describe("the first hour with kubectl on kcm up", () => {
  let stage: Stage;

  const events = async (reason: string): Promise<number> =>
    (await stage.kubectl(`get events -n default --field-selector reason=${reason} ${COUNTS}`))
      .split(" ")
      .reduce((sum, count) => sum + Number(count), 0);

  beforeAll(async () => {
    stage = await kcmStage();
  });
  afterAll(async () => stage.stop());

  for (const step of firstHour) test(step.name, async () => stage.play(step));

  test("a daemon beside it makes no second pod", async () => {
    const daemon = new Daemon(ourProgram, [`--kubeconfig=${stage.kubeconfig}`, "--secure-port=0"]);
    try {
      await daemon.says("New leader elected");
      const before = await events("SuccessfulCreate");
      await stage.kubectl("create deployment ten -n default --image=nginx --replicas=10");
      await stage.kubectl("rollout status -n default deployment/ten --timeout=120s");
      await expect.poll(async () => events("SuccessfulCreate")).toBe(before + 10);
      expect(await events("SuccessfulDelete")).toBe(0);
      expect(daemon.leads).toBe(false);
    } finally {
      await daemon.end("SIGTERM");
    }
  });

  test("a second cluster beside it, with pods of its own", async () => {
    const second = new KcmProcess(["up", "--name=second", "--merge-kubeconfig"], stage.directory);
    try {
      await second.says(/ {2}kcm down second/);
      const merged = `--kubeconfig=${stage.directory}/.kube/config --context=kcm-second`;
      expect(await stage.kubectl(`${merged} get deployments -A -o name`)).toBe("deployment.apps/web\n");
      expect(await stage.kubectl("get deployments -A -o name")).toContain("deployment.apps/ten");
      const down = new KcmProcess(["down", "second"], stage.directory);
      expect(await down.ended).toEqual({ exitCode: 0, signal: null });
      expect(await second.ended).toEqual({ exitCode: 0, signal: null });
      expect(await stage.kubectl("get deployments -A -o name")).toContain("deployment.apps/ten");
    } finally {
      await second.end("SIGKILL");
    }
  });
});
