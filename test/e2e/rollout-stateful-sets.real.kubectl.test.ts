import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { resources } from "../../pkg/api/resources.ts";
import { RolloutStage } from "./rollout-stage.ts";

describe("kubectl rollout of StatefulSets, with our daemon in charge of a real API server", () => {
  let stage: RolloutStage;
  const images = async (): Promise<readonly string[]> => stage.images();

  beforeAll(async () => {
    stage = await RolloutStage.start({ kind: "statefulset", controllers: ["statefulset-controller"] });
  });
  afterAll(async () => stage.stop());
  beforeEach(async () => stage.next(resources.statefulSets, { replicas: 3 }));

  test("status follows a rollout to its end, and waits for one that hangs", async () => {
    await stage.setImage("app:2");
    expect(await stage.complete()).toContain("roll out complete: 3 new pods have been updated");
    expect(await images()).toEqual(["app:2", "app:2", "app:2"]);
    await stage.setImage("app:does-not-exist");
    await expect(stage.rollout("status", "--timeout=3s")).rejects.toThrow(
      "timed out waiting for the condition",
    );
    await expect.poll(images).toEqual(["app:2", "app:2", "app:does-not-exist"]);
  });

  test("status tells of a partition that has been reached", async () => {
    const partition = '{"spec":{"updateStrategy":{"rollingUpdate":{"partition":2}}}}';
    await stage.kubectl("patch", "statefulset", stage.name, "-p", partition);
    await stage.setImage("app:2");
    expect(await stage.complete()).toContain("partitioned roll out complete: 1 new pods have been updated");
    expect(await images()).toEqual(["app:1", "app:1", "app:2"]);
  });

  test("history lists revisions with their causes, and shows the template of one", async () => {
    const cause = "kubernetes.io/change-cause=the second image";
    await stage.kubectl("annotate", "statefulset", stage.name, cause);
    await stage.setImage("app:2");
    await stage.complete();
    expect(await stage.rollout("history")).toMatch(/1\s+<none>\n2\s+the second image/);
    expect(await stage.rollout("history", "--revision=1")).toMatch(/#1[\s\S]*Image:\s+app:1/);
    expect(await stage.rollout("history", "--revision=2")).toMatch(/#2[\s\S]*Image:\s+app:2/);
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

  test("restart replaces every pod under the same name and image", async () => {
    const [names, before] = [await stage.pods(".metadata.name"), await stage.pods(".metadata.uid")];
    await stage.rollout("restart");
    await stage.complete();
    expect(await stage.pods(".metadata.name")).toEqual(names);
    expect((await stage.pods(".metadata.uid")).filter((uid) => before.includes(uid))).toEqual([]);
    expect(new Set(await images())).toEqual(new Set(["app:1"]));
    expect(await stage.revisions()).toEqual(["1", "2"]);
  });

  test("scale goes up and down by the last places", async () => {
    const names = async (): Promise<readonly string[]> => stage.pods(".metadata.name");
    await stage.kubectl("scale", "statefulset", stage.name, "--replicas=5");
    await stage.complete();
    await expect.poll(names).toHaveLength(5);
    await stage.kubectl("scale", "statefulset", stage.name, "--replicas=1");
    await expect.poll(names).toEqual([`${stage.name}-0`]);
  });
});
