import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { resources } from "../../pkg/api/resources.ts";
import { RolloutStage } from "./rollout-stage.ts";

describe("kubectl rollout of DaemonSets, with our daemon in charge of a real API server", () => {
  let stage: RolloutStage;
  const images = async (): Promise<readonly string[]> => stage.images();

  beforeAll(async () => {
    stage = await RolloutStage.start({ kind: "daemonset", controllers: ["daemonset-controller"] });
  });
  afterAll(async () => stage.stop());
  beforeEach(async () => stage.next(resources.daemonSets));

  test("status follows a rollout to its end, and waits for one that hangs", async () => {
    await stage.setImage("app:2");
    expect(await stage.complete()).toContain(`daemon set "${stage.name}" successfully rolled out`);
    await expect.poll(images).toEqual(["app:2", "app:2", "app:2"]);
    await stage.setImage("app:does-not-exist");
    await expect(stage.rollout("status", "--timeout=3s")).rejects.toThrow(
      "timed out waiting for the condition",
    );
    await expect
      .poll(async () => stage.rollout("status", "--watch=false"))
      .toMatch(/1 out of 3 new pods have been updated/);
  });

  test("history lists revisions with their causes, and shows the template of one", async () => {
    const cause = "kubernetes.io/change-cause=the second image";
    await stage.kubectl("annotate", "daemonset", stage.name, cause);
    await stage.setImage("app:2");
    await stage.complete();
    expect(await stage.rollout("history")).toMatch(/1\s+<none>\n2\s+the second image/);
    expect(await stage.rollout("history", "--revision=1")).toMatch(/revision #1[\s\S]*Image:\s+app:1/);
    expect(await stage.rollout("history", "--revision=2")).toMatch(/revision #2[\s\S]*Image:\s+app:2/);
  });

  test("undo returns to the revision before, or to any that is kept, which becomes the newest", async () => {
    for (const image of ["app:2", "app:3"]) {
      await stage.setImage(image);
      await stage.complete();
    }
    await stage.rollout("undo");
    await stage.complete();
    await expect.poll(images).toEqual(["app:2", "app:2", "app:2"]);
    expect(await stage.revisions()).toEqual(["1", "3", "4"]);
    await stage.rollout("undo", "--to-revision=1");
    await stage.complete();
    await expect.poll(images).toEqual(["app:1", "app:1", "app:1"]);
    expect(await stage.revisions()).toEqual(["3", "4", "5"]);
    await expect(stage.rollout("undo", "--to-revision=1")).rejects.toThrow(
      "unable to find specified revision",
    );
  });

  test("restart replaces every pod under the same image", async () => {
    const before = await stage.pods(".metadata.uid");
    await stage.rollout("restart");
    await stage.complete();
    await expect
      .poll(async () => (await stage.pods(".metadata.uid")).filter((uid) => before.includes(uid)))
      .toEqual([]);
    await expect.poll(images).toEqual(["app:1", "app:1", "app:1"]);
    expect(await stage.revisions()).toEqual(["1", "2"]);
  });
});
