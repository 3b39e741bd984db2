import { expect, test } from "vitest";
import { describeApi } from "./api-client.ts";
import { protobufBody } from "./protobuf-body.ts";

const pod = {
  metadata: { name: "p" },
  spec: { nodeName: "n", containers: [{ name: "c", image: "i" }], automountServiceAccountToken: false },
};

describeApi("deletion", (api) => {
  test("a plain delete answers with a Status that names what is gone", async () => {
    const path = await api().configMaps();
    const { body } = await api().send("POST", path, { metadata: { name: "a" } });
    const gone = await api().send("DELETE", `${path}/a`);
    expect([gone.status, gone.body.kind, gone.body.status]).toEqual([200, "Status", "Success"]);
    expect(gone.body.details).toEqual({ name: "a", kind: "configmaps", uid: body.metadata.uid });
    const again = await api().send("DELETE", `${path}/a`);
    expect([again.status, again.body.message]).toEqual([404, 'configmaps "a" not found']);
  });

  test("preconditions on uid and version are checked", async () => {
    const path = await api().configMaps();
    const { body } = await api().send("POST", path, { metadata: { name: "a" } });
    const uid = await api().send("DELETE", `${path}/a`, { preconditions: { uid: "zz" } });
    expect([uid.status, uid.body.message]).toEqual([
      409,
      `Operation cannot be fulfilled on ConfigMap "a": the UID in the precondition (zz) does not match the UID in record (${body.metadata.uid}). The object might have been deleted and then recreated`,
    ]);
    const version = await api().send("DELETE", `${path}/a`, { preconditions: { resourceVersion: "1" } });
    expect([version.status, version.body.reason]).toEqual([409, "Conflict"]);
    const { uid: right, resourceVersion } = body.metadata;
    const met = await api().send("DELETE", `${path}/a`, { preconditions: { uid: right, resourceVersion } });
    expect(met.status).toBe(200);
  });

  test("delete options that make no sense are refused", async () => {
    const path = await api().configMaps();
    await api().send("POST", path, { metadata: { name: "a" } });
    const policy = await api().send("DELETE", `${path}/a`, { propagationPolicy: "X" });
    expect([policy.status, policy.body.message]).toEqual([
      422,
      'DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Unsupported value: "X": supported values: "Foreground", "Background", "Orphan", "nil"',
    ]);
    const both = await api().send("DELETE", `${path}/a`, {
      propagationPolicy: "Orphan",
      orphanDependents: true,
    });
    expect(both.status).toBe(422);
  });

  test("delete options are of any version, as protobuf as well", async () => {
    const path = await api().configMaps();
    const served = ["v1", "apps/v1", "policy/v1", "certificates.k8s.io/v1", "meta.k8s.io/v1"];
    for (const apiVersion of [...served, "example.com/v1", "apps/v9"]) {
      await api().send("POST", path, { metadata: { name: "a" } });
      const deleted = await api().send("DELETE", `${path}/a`, protobufBody(apiVersion, "DeleteOptions", []), {
        "content-type": "application/vnd.kubernetes.protobuf",
      });
      expect([apiVersion, deleted.status, deleted.body.message]).toEqual([apiVersion, 200, undefined]);
    }
  });

  test("policies become finalizers, the last one asked for wins, and none is added later", async () => {
    const path = await api().configMaps();
    await api().send("POST", path, { metadata: { name: "a" } });
    const foreground = await api().send("DELETE", `${path}/a?propagationPolicy=Foreground`);
    expect(foreground.body.metadata.finalizers).toEqual(["foregroundDeletion"]);
    expect(foreground.body.metadata.deletionGracePeriodSeconds).toBe(0);
    const orphan = await api().send("DELETE", `${path}/a`, { propagationPolicy: "Orphan" });
    expect(orphan.body.metadata.finalizers).toEqual(["orphan"]);
    expect(orphan.body.metadata.deletionTimestamp).toBe(foreground.body.metadata.deletionTimestamp);
    const added = await api().patch(`${path}/a`, "merge", { metadata: { finalizers: ["x.io/a", "orphan"] } });
    expect([added.status, added.body.message]).toEqual([
      422,
      'ConfigMap "a" is invalid: metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"x.io/a"}',
    ]);
  });

  test("removing the last finalizer removes the object, and watchers see it deleted", async () => {
    const path = await api().configMaps();
    const created = await api().send("POST", path, {
      metadata: { name: "a", finalizers: ["x.io/a", "x.io/b"] },
    });
    const marked = await api().send("DELETE", `${path}/a`);
    expect([marked.status, marked.body.kind]).toEqual([200, "ConfigMap"]);
    expect(marked.body.metadata.deletionTimestamp).toBeDefined();
    await api().patch(`${path}/a`, "merge", { metadata: { finalizers: ["x.io/b"] } });
    expect((await api().get(`${path}/a`)).status).toBe(200);
    const last = await api().patch(`${path}/a`, "merge", { metadata: { finalizers: null } });
    expect([last.status, last.body.metadata.finalizers]).toEqual([200, undefined]);
    expect((await api().get(`${path}/a`)).status).toBe(404);
    const since = created.body.metadata.resourceVersion;
    const events = await api().watch(`${path}?watch=1&resourceVersion=${since}&timeoutSeconds=5`, 3);
    expect(events.map(({ type }) => type)).toEqual(["MODIFIED", "MODIFIED", "DELETED"]);
  });

  test("a pod on a node gets its grace, which can be shortened and not lengthened", async () => {
    const path = `/api/v1/namespaces/${await api().namespace()}/pods`;
    const created = await api().send("POST", path, pod);
    expect(created.status).toBe(201);
    const first = await api().send("DELETE", `${path}/p`);
    expect([first.status, first.body.metadata.deletionGracePeriodSeconds]).toEqual([200, 30]);
    const longer = await api().send("DELETE", `${path}/p`, { gracePeriodSeconds: 60 });
    expect(longer.body.metadata.deletionGracePeriodSeconds).toBe(30);
    const shorter = await api().send("DELETE", `${path}/p`, { gracePeriodSeconds: 5 });
    expect(shorter.body.metadata.deletionGracePeriodSeconds).toBe(5);
    const spanMs =
      Date.parse(first.body.metadata.deletionTimestamp ?? "") -
      Date.parse(shorter.body.metadata.deletionTimestamp ?? "");
    expect(spanMs).toBe(25_000);
    const now = await api().send("DELETE", `${path}/p?gracePeriodSeconds=0`);
    expect([now.status, now.body.kind]).toEqual([200, "Pod"]);
    expect((await api().get(`${path}/p`)).status).toBe(404);
  });

  test("a pod that no node has goes at once", async () => {
    const path = `/api/v1/namespaces/${await api().namespace()}/pods`;
    const { nodeName: _, ...spec } = pod.spec;
    await api().send("POST", path, { ...pod, spec });
    expect((await api().send("DELETE", `${path}/p`)).body.kind).toBe("Pod");
    expect((await api().get(`${path}/p`)).status).toBe(404);
  });

  test("deletecollection deletes what the selector names, and answers with it", async () => {
    const path = await api().configMaps();
    for (const name of ["a", "b", "c"])
      await api().send("POST", path, { metadata: { name, labels: { l: name === "b" ? "2" : "1" } } });
    const gone = await api().send("DELETE", `${path}?labelSelector=l%3D1`);
    expect([gone.status, gone.body.kind]).toEqual([200, "ConfigMapList"]);
    expect(gone.body.items.map(({ metadata }) => metadata.name)).toEqual(["a", "c"]);
    const left = (await api().get(path)).body.items.map(({ metadata }) => metadata.name);
    expect(left).toContain("b");
    expect(left).not.toContain("a");
  });

  test("dependents of a job stay by default, and the answer warns of that", async () => {
    const path = `/apis/batch/v1/namespaces/${await api().namespace()}/jobs`;
    const template = { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } };
    await api().send("POST", path, { metadata: { name: "j" }, spec: { template } });
    const gone = await api().send("DELETE", `${path}/j`);
    expect(gone.body.metadata.finalizers).toEqual(["orphan"]);
    expect(String(gone.headers["warning"])).toContain(
      "child pods are preserved by default when jobs are deleted",
    );
  });

  test("a namespace is Terminating until its own finalizer is taken off", async () => {
    const name = await api().namespace();
    const path = `/api/v1/namespaces/${name}`;
    const marked = await api().send("DELETE", path);
    expect([marked.status, marked.body.status]).toEqual([
      200,
      expect.objectContaining({ phase: "Terminating" }),
    ]);
    const current = (await api().get(path)).body;
    expect(current.spec).toEqual({ finalizers: ["kubernetes"] });
    const finalized = await api().send("PUT", `${path}/finalize`, { ...current, spec: { finalizers: [] } });
    expect(finalized.status).toBe(200);
    expect((await api().get(path)).status).toBe(404);
  });

  test("an eviction deletes, unless the budget has nothing left", async () => {
    const namespace = await api().namespace();
    const pods = `/api/v1/namespaces/${namespace}/pods`;
    const budgets = `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets`;
    await api().send("POST", pods, { ...pod, metadata: { name: "p", labels: { app: "x" } } });
    const conditions = [{ type: "Ready", status: "True" }];
    await api().patch(`${pods}/p/status`, "merge", { status: { phase: "Running", conditions } });
    const created = await api().send("POST", budgets, {
      metadata: { name: "b" },
      spec: { minAvailable: 1, selector: { matchLabels: { app: "x" } } },
    });
    expect(created.status).toBe(201);
    const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "p", namespace } };
    const early = await api().send("POST", `${pods}/p/eviction`, eviction);
    expect([early.status, early.body.reason]).toEqual([429, "TooManyRequests"]);
    expect(early.body.message).toBe("Cannot evict pod as it would violate the pod's disruption budget.");
    expect(early.body.details).toMatchObject({
      causes: [
        {
          reason: "DisruptionBudget",
          message: "The disruption budget b is still being processed by the server.",
        },
      ],
    });
    const status = {
      observedGeneration: 1,
      disruptionsAllowed: 0,
      currentHealthy: 1,
      desiredHealthy: 1,
      expectedPods: 1,
    };
    await api().patch(`${budgets}/b/status`, "merge", { status });
    const refused = await api().send("POST", `${pods}/p/eviction`, eviction);
    expect(refused.body.details).toMatchObject({
      causes: [
        {
          reason: "DisruptionBudget",
          message: "The disruption budget b needs 1 healthy pods and has 1 currently",
        },
      ],
    });
    await api().patch(`${budgets}/b/status`, "merge", { status: { disruptionsAllowed: 1 } });
    const evicted = await api().send("POST", `${pods}/p/eviction`, eviction);
    expect([evicted.status, evicted.body.status]).toEqual([201, "Success"]);
    const leaving = (await api().get(`${pods}/p`)).body;
    expect(leaving.metadata.deletionTimestamp).toBeDefined();
    expect(leaving.status).toMatchObject({
      conditions: expect.arrayContaining([
        expect.objectContaining({ type: "DisruptionTarget", reason: "EvictionByEvictionAPI" }),
      ]) as unknown,
    });
    const budget = (await api().get(`${budgets}/b`)).body;
    expect(budget.status).toMatchObject({
      disruptionsAllowed: 0,
      disruptedPods: { p: expect.any(String) as string },
    });
  });

  test("a binding puts a pod on a node once", async () => {
    const path = `/api/v1/namespaces/${await api().namespace()}/pods`;
    const { nodeName: _, ...spec } = pod.spec;
    await api().send("POST", path, { ...pod, spec });
    const binding = {
      apiVersion: "v1",
      kind: "Binding",
      metadata: { name: "p" },
      target: { kind: "Node", name: "n1" },
    };
    const bound = await api().send("POST", `${path}/p/binding`, binding);
    expect([bound.status, bound.body.status]).toEqual([201, "Success"]);
    const { body } = await api().get(`${path}/p`);
    expect(body.spec["nodeName"]).toBe("n1");
    expect(body.status).toMatchObject({ conditions: [{ type: "PodScheduled", status: "True" }] });
    const again = await api().send("POST", `${path}/p/binding`, binding);
    expect([again.status, again.body.message]).toEqual([
      409,
      'Operation cannot be fulfilled on pods/binding "p": pod p is already assigned to node "n1"',
    ]);
  });
});
