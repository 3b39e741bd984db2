import { asStored } from "../../harness/stored.ts";
import { expect, test } from "vitest";
import { garbageCollectorController } from "../../../controllers/garbagecollector/controller.ts";
import { hasFinalizer } from "../../../controllers/job/job-pods.ts";
import { newControllerRef } from "../../../pkg/api/owner-references.ts";
import { resources } from "../../../pkg/api/resources.ts";
import type { Job } from "../../../pkg/api/types/batch-v1.gen.ts";
import type { Pod } from "../../../pkg/api/types/core-v1.gen.ts";
import { isGoneOrReplaced } from "../../../pkg/controller/read-live.ts";
import { describeJobs } from "./job-stage.ts";

// Names of upstream's functions (test/integration/job) stand in front of each case.
describeJobs("owners and finalizers", (stage) => {
  test("ManagedBy: a Job of another controller is left alone", async () => {
    await stage.jobs.create({ managedBy: "example.com/other" });
    await stage.jobs.space.never("it has pods", 500, async () => (await stage.jobs.pods()).length > 0);
    expect(stage.cluster.writesTo(stage.jobs.space)).toEqual([]);
  });

  test("ManagedBy_RecreatedJob, ImmediateJobRecreation: another Job of the same name", async () => {
    await stage.jobs.create({ parallelism: 2 });
    await stage.jobs.untilCounts("2 0 0");
    const other = { propagationPolicy: "Background" } as const;
    const ref = { namespace: stage.jobs.space.namespace, name: "job" };
    await stage.jobs.space.client.clientFor<Job>(resources.jobs).delete(ref, other);
    const second = await stage.jobs.create({ parallelism: 1 });
    await stage.jobs.space.until(
      "it has its own pod",
      async () => (await stage.jobs.ownedBy(second)).length,
      (count) => count === 1,
    );
    await stage.jobs.space.client.clientFor<Job>(resources.jobs).delete(ref, other);
    const third = await stage.jobs.create({ managedBy: "example.com/other" });
    await stage.jobs.space.never(
      "it has pods",
      500,
      async () => (await stage.jobs.ownedBy(third)).length > 0,
    );
  });

  test("OrphanPodsFinalizersClearedOnRestart: of a Job that is deleted while nobody is there", async () => {
    await stage.jobs.create();
    await stage.jobs.untilCounts("1 0 0");
    await stage.cluster.stopControllers();
    // By default the pods of a Job are to be orphaned, and the Job stays until they are.
    await stage.jobs.space.delete(resources.jobs, "job");
    stage.run();
    await stage.jobs.untilReleased();
  });

  test.each(["Orphan", "Background", "Foreground"] as const)(
    "OrphanPodsFinalizersClearedWithGC: %s",
    async (propagationPolicy) => {
      stage.cluster.run([garbageCollectorController({ workers: 2 })]);
      await stage.jobs.create({ parallelism: 2 });
      await stage.jobs.untilCounts("2 0 0");
      await stage.jobs.space.client
        .clientFor<Job>(resources.jobs)
        .delete({ namespace: stage.jobs.space.namespace, name: "job" }, { propagationPolicy });
      await stage.jobs.space.until(
        "the Job is gone",
        async () => stage.jobs.space.find<Job>(resources.jobs, "job"),
        (job) => job === undefined,
      );
      await stage.jobs.untilReleased();
      const left = propagationPolicy === "Orphan" ? 2 : 0;
      await stage.jobs.space.until(
        "the pods are left, or gone",
        async () => (await stage.jobs.pods()).length,
        (count) => count === left,
      );
    },
  );

  test("ManagedBy_UsingReservedJobFinalizers: pods of another controller's Job keep the finalizer", async () => {
    const job = await stage.jobs.create({ managedBy: "example.com/other" });
    // Once a later Job has its pod the controller knows this one, too.
    await stage.jobs.space.create<Job>(resources.jobs, {
      metadata: { name: "later" },
      spec: { template: { ...job.spec?.template, metadata: {} } },
    });
    await stage.jobs.space.until(
      "the later Job has its pod",
      async () => stage.jobs.pods(),
      (pods) => pods.length === 1,
    );
    const pod = {
      metadata: {
        name: "pod",
        labels: job.spec?.selector?.matchLabels ?? {},
        ownerReferences: [newControllerRef(asStored(job), resources.jobs)],
        finalizers: ["batch.kubernetes.io/job-tracking"],
      },
      spec: { restartPolicy: "Never", nodeName: "node", containers: [{ name: "c", image: "image" }] },
    };
    await stage.jobs.space.create<Pod>(resources.pods, pod);
    await stage.jobs.space.delete(resources.pods, "pod");
    await stage.jobs.space.never(
      "it is released",
      500,
      async () => !(await stage.jobs.pods()).every(hasFinalizer),
    );
  });

  // Not upstream's, which names no uid.
  test("a pod keeps a finalizer that another of its name was to lose", async () => {
    const finalizers = ["example.com/held"];
    await stage.jobs.space.create<Pod>(resources.pods, {
      metadata: { name: "pod", finalizers },
      spec: { containers: [{ name: "c", image: "image" }] },
    });
    const client = stage.jobs.space.client.clientFor<Pod>(resources.pods);
    const uid = "b2d0c6f4-7a2e-4c53-9d0e-3f1a5b7c9e21";
    const body = { metadata: { uid, "$deleteFromPrimitiveList/finalizers": finalizers } };
    const ref = { namespace: stage.jobs.space.namespace, name: "pod" };
    await expect(client.patch(ref, { type: "strategic", body })).rejects.toSatisfy(isGoneOrReplaced);
    expect((await client.get(ref)).metadata.finalizers).toEqual(finalizers);
  });

  test("JobFailedWithInterrupts: a Job fails though its controller comes and goes", async () => {
    await stage.jobs.create({ parallelism: 10, completions: 10, backoffLimit: 0 });
    await stage.jobs.untilCounts("10 0 0");
    await stage.cluster.stopControllers();
    await stage.jobs.end("Failed", 10);
    for (let round = 0; round < 3; round++) {
      stage.run();
      await stage.jobs.space.never("nothing", 100, async () => false);
      await stage.cluster.stopControllers();
    }
    stage.run();
    await stage.jobs.until("Failed");
    await stage.jobs.untilCounts("0 0 10");
    await stage.jobs.untilReleased();
  });
});
