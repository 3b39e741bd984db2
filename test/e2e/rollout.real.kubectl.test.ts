import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { resources } from "../../pkg/api/resources.ts";
import { RolloutStage } from "./rollout-stage.ts";

describe("kubectl rollout, with our daemon in charge of a real API server", () => {
  let stage: RolloutStage;
  const images = async (): Promise<readonly string[]> => stage.images();

  beforeAll(async () => {
    stage = await RolloutStage.start({
      kind: "deployment",
      controllers: ["deployment-controller", "replicaset-controller"],
    });
  });
  afterAll(async () => stage.stop());
  beforeEach(async () => stage.next(resources.deployments, { replicas: 3 }));

  test("status follows a rollout to its end, and tells of one that hangs", async () => {
    await stage.setImage("app:2");
    expect(await stage.complete()).toContain(`deployment "${stage.name}" successfully rolled out`);
    await expect.poll(images).toEqual(["app:2", "app:2", "app:2"]);
    await stage.setImage("app:does-not-exist");
    expect(await stage.rollout("status", "--watch=false")).toMatch(/Waiting for deployment/);
    const deadline = '{"spec":{"progressDeadlineSeconds":1}}';
    await stage.kubectl("patch", "deployment", stage.name, "-p", deadline);
    await expect(stage.complete()).rejects.toThrow("exceeded its progress deadline");
  });

  test("history lists revisions with their causes, and shows the template of one", async () => {
    const annotate = async (cause: string): Promise<string> =>
      stage.kubectl(
        "annotate",
        "--overwrite",
        `deployment/${stage.name}`,
        `kubernetes.io/change-cause=${cause}`,
      );
    await annotate("the first image");
    await stage.setImage("app:2");
    await annotate("the second image");
    await stage.complete();
    await expect
      .poll(async () => stage.rollout("history"))
      .toMatch(/1\s+the first image\n2\s+the second image/);
    expect(await stage.rollout("history", "--revision=1")).toMatch(/revision #1[\s\S]*Image:\s+app:1/);
    expect(await stage.rollout("history", "--revision=2")).toMatch(/revision #2[\s\S]*Image:\s+app:2/);
  });

  test("undo returns to the revision before, which becomes the newest", async () => {
    await stage.setImage("app:2");
    await stage.complete();
    await stage.rollout("undo");
    await stage.complete();
    expect(await stage.field(".spec.template.spec.containers[0].image")).toBe("app:1");
    await expect.poll(images).toEqual(["app:1", "app:1", "app:1"]);
    expect(await stage.revisions()).toEqual(["2", "3"]);
  });

  test("undo --to-revision returns to any revision that is kept", async () => {
    for (const next of ["app:2", "app:3"]) {
      await stage.setImage(next);
      await stage.complete();
    }
    await stage.rollout("undo", "--to-revision=1");
    await stage.complete();
    await expect.poll(images).toEqual(["app:1", "app:1", "app:1"]);
    expect(await stage.revisions()).toEqual(["2", "3", "4"]);
    await expect(stage.rollout("undo", "--to-revision=1")).rejects.toThrow("unable to find");
  });

  test("pause holds changes back, and resume rolls them out as one revision", async () => {
    await stage.rollout("pause");
    await stage.setImage("app:2");
    await stage.setImage("app:3");
    await expect
      .poll(async () => stage.field(".status.conditions[?(@.type=='Progressing')].reason"))
      .toBe("DeploymentPaused");
    expect(await images()).toEqual(["app:1", "app:1", "app:1"]);
    await expect(stage.rollout("undo", "--to-revision=1")).rejects.toThrow(
      "cannot rollback a paused deployment",
    );
    await stage.rollout("resume");
    await stage.complete();
    await expect.poll(images).toEqual(["app:3", "app:3", "app:3"]);
    expect(await stage.revisions()).toEqual(["1", "2"]);
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
