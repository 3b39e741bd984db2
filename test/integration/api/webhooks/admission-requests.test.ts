import { afterAll, beforeAll, expect, test } from "vitest";
import { describeApi } from "../api-client.ts";
import { type AdmissionRequest, type Json, rule, WebhookStage } from "./webhook-stage.ts";

const UID = /^[0-9a-f-]{36}$/;
const configMap = { group: "", version: "v1", kind: "ConfigMap" };
const configMaps = { group: "", version: "v1", resource: "configmaps" };
const options = (kind: string, more: Json = {}): Json => ({ kind, apiVersion: "meta.k8s.io/v1", ...more });
const strict = "fieldManager=me&fieldValidation=Strict";
const podSpec = { containers: [{ name: "c", image: "i" }] };

describeApi("requests to webhooks", (api) => {
  let stage: WebhookStage;
  let space = "";
  beforeAll(async () => {
    stage = await WebhookStage.open(api());
    space = `/namespaces/${stage.namespace}`;
  });
  afterAll(async () => stage.stop());

  /** What both sorts of webhooks are told of what this does. */
  async function whatIsTold(
    resources: readonly string[],
    work: () => Promise<unknown>,
  ): Promise<Readonly<Record<"mutating" | "validating", readonly AdmissionRequest[]>>> {
    const hook = { rules: [rule(resources)] };
    let mutating: readonly AdmissionRequest[] = [];
    let validating: readonly AdmissionRequest[] = [];
    await stage.during("mutating", [hook], async (first) => {
      await stage.during("validating", [hook], async (second) => {
        await work();
        mutating = first.seen;
        validating = second.seen;
      });
    });
    return { mutating, validating };
  }
  const metadataOf = (object: Json | null | undefined): Json => (object?.["metadata"] ?? {}) as Json;

  test("a create whose name is still to be generated", async () => {
    const body = { metadata: { generateName: "a-" }, data: { a: "b" } };
    const { mutating, validating } = await whatIsTold(["configmaps"], async () =>
      api().send("POST", `${stage.configMaps}?${strict}`, body),
    );
    const common = {
      kind: configMap,
      resource: configMaps,
      requestKind: configMap,
      requestResource: configMaps,
      namespace: stage.namespace,
      operation: "CREATE",
      oldObject: null,
      dryRun: false,
      options: options("CreateOptions", { fieldManager: "me", fieldValidation: "Strict" }),
      object: { kind: "ConfigMap", apiVersion: "v1", data: { a: "b" } },
    };
    expect([mutating.length, validating.length]).toEqual([1, 1]);
    const [[early], [late]] = [mutating, validating];
    expect(early).toMatchObject(common);
    expect(late).toMatchObject(common);
    expect([early?.uid, late?.uid].every((uid) => UID.test(uid ?? ""))).toBe(true);
    expect(early?.uid).not.toBe(late?.uid);
    // It gets these when it is stored.
    expect(Object.keys(metadataOf(early?.object)).toSorted()).toEqual([
      "generateName",
      "managedFields",
      "namespace",
    ]);
    expect([early?.name, metadataOf(late?.object)["name"]]).toEqual([undefined, late?.name]);
    expect(metadataOf(late?.object)).toMatchObject({
      uid: expect.stringMatching(UID) as string,
      creationTimestamp: expect.stringMatching(/Z$/) as string,
    });
    const groups = expect.arrayContaining(["system:masters"]) as readonly string[];
    expect(early).toMatchObject({ userInfo: { groups } });
  });

  test("updates by PUT, patch and apply, with the state before", async () => {
    const path = `${stage.configMaps}/cm`;
    const made = await api().send("POST", stage.configMaps, { metadata: { name: "cm" }, data: { a: "b" } });
    await api().caughtUp(path, made);
    const body = { metadata: { name: "cm" }, data: { a: "c" } };
    const { mutating } = await whatIsTold(["configmaps"], async () => {
      await api().send("PUT", `${path}?dryRun=All`, body);
      await api().caughtUp(path, await api().patch(path, "merge", { data: { a: "d" } }));
      await api().apply(path, "m", { apiVersion: "v1", kind: "ConfigMap", ...body }, true);
    });
    expect(mutating).toMatchObject([
      {
        operation: "UPDATE",
        name: "cm",
        dryRun: true,
        options: options("UpdateOptions", { dryRun: ["All"] }),
        oldObject: { data: { a: "b" } },
        object: { data: { a: "c" } },
      },
      { options: options("UpdateOptions"), oldObject: { data: { a: "b" } }, object: { data: { a: "d" } } },
      {
        options: options("UpdateOptions", { fieldManager: "m" }),
        oldObject: { data: { a: "d" } },
        object: { data: { a: "c" } },
      },
    ]);
    // A PUT that names no version is seen as it came.
    expect(metadataOf(mutating[0]?.object)).not.toHaveProperty("resourceVersion");
    expect(metadataOf(mutating[1]?.object)).toHaveProperty("resourceVersion");
  });

  test("an apply that creates", async () => {
    const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "applied" } };
    const { validating } = await whatIsTold(["configmaps"], async () =>
      api().apply(`${stage.configMaps}/applied`, "m", body),
    );
    expect(validating).toMatchObject([
      {
        operation: "CREATE",
        name: "applied",
        options: options("CreateOptions", { fieldManager: "m" }),
        oldObject: null,
      },
    ]);
  });

  test("deletes, with what was asked for; of many, each is told without its name", async () => {
    for (const name of ["one", "two", "three"])
      await api().send("POST", stage.configMaps, { metadata: { name, labels: { gone: "soon" } } });
    const { mutating, validating } = await whatIsTold(["configmaps"], async () => {
      await api().send("DELETE", `${stage.configMaps}/one`, { gracePeriodSeconds: 0, preconditions: {} });
      await api().send("DELETE", `${stage.configMaps}/two?propagationPolicy=Background&dryRun=All`);
      await api().send("DELETE", `${stage.configMaps}?labelSelector=gone`);
      await api().send("DELETE", `${stage.configMaps}/four`);
    });
    const common = { operation: "DELETE", object: null, kind: configMap };
    const expected = [
      {
        ...common,
        name: "one",
        options: options("DeleteOptions", { gracePeriodSeconds: 0, preconditions: {} }),
        oldObject: { metadata: { name: "one" } },
      },
      {
        ...common,
        name: "two",
        dryRun: true,
        options: options("DeleteOptions", { propagationPolicy: "Background", dryRun: ["All"] }),
      },
      { ...common, options: options("DeleteOptions"), namespace: stage.namespace },
      { ...common, options: options("DeleteOptions"), namespace: stage.namespace },
    ];
    expect(mutating).toMatchObject(expected);
    expect(validating).toMatchObject(expected);
    expect(mutating.slice(2).map(({ name }) => name)).toEqual([undefined, undefined]);
    const names = mutating.slice(2).map(({ oldObject }) => String(metadataOf(oldObject)["name"]));
    expect(names.toSorted()).toEqual(["three", "two"]);
  });

  test("a namespace lies in itself", async () => {
    const name = `${stage.namespace}-inner`;
    const labels = { "for-webhooks": "yes" };
    const seen: AdmissionRequest[] = [];
    const hook = { rules: [rule(["namespaces"])], namespaceSelector: { matchLabels: labels } };
    await stage.during("validating", [hook], async (configured) => {
      await api().send("POST", "/api/v1/namespaces", { metadata: { name: `${name}-other` } });
      await api().send("POST", "/api/v1/namespaces", { metadata: { name, labels } });
      const path = `/api/v1/namespaces/${name}`;
      await api().caughtUp(path, await api().patch(path, "merge", { metadata: { annotations: { a: "b" } } }));
      await api().send("DELETE", path);
      seen.push(...configured.seen);
    });
    const uid = expect.stringMatching(UID) as string;
    expect(seen).toMatchObject([
      { operation: "CREATE", name, namespace: name, kind: { kind: "Namespace" } },
      { operation: "UPDATE", name, namespace: name },
      {
        operation: "DELETE",
        name,
        namespace: name,
        options: options("DeleteOptions", { preconditions: { uid } }),
      },
    ]);
  });

  test("scales are told as scales, and statuses as the whole", async () => {
    const path = `/apis/apps/v1${space}/deployments`;
    const spec = {
      selector: { matchLabels: { a: "b" } },
      template: { metadata: { labels: { a: "b" } }, spec: podSpec },
    };
    await api().caughtUp(`${path}/d`, await api().send("POST", path, { metadata: { name: "d" }, spec }));
    const { mutating, validating } = await whatIsTold(["deployments/*"], async () => {
      const scaled = await api().patch(`${path}/d/scale`, "merge", { spec: { replicas: 3 } });
      await api().caughtUp(`${path}/d`, scaled);
      await api().patch(`${path}/d/status`, "merge", { status: { replicas: 1 } });
    });
    const resource = { group: "apps", version: "v1", resource: "deployments" };
    const expected = [
      {
        kind: { group: "autoscaling", version: "v1", kind: "Scale" },
        resource,
        subResource: "scale",
        requestSubResource: "scale",
        operation: "UPDATE",
        object: { kind: "Scale", apiVersion: "autoscaling/v1", spec: { replicas: 3 } },
        oldObject: { kind: "Scale", spec: { replicas: 1 }, status: { replicas: 0, selector: "a=b" } },
      },
      {
        kind: { group: "apps", version: "v1", kind: "Deployment" },
        subResource: "status",
        object: { spec: { replicas: 3 }, status: { replicas: 1 } },
      },
    ];
    expect(mutating).toMatchObject(expected);
    expect(validating).toMatchObject(expected);
  });

  test("what is created below a pod is told, and not what comes of it", async () => {
    const path = `/api/v1${space}/pods`;
    await api().send("POST", path, { metadata: { name: "p" }, spec: podSpec });
    const { mutating, validating } = await whatIsTold(["pods", "pods/*"], async () => {
      await api().send("POST", `${path}/p/binding`, { metadata: { name: "p" }, target: { name: "node" } });
      await api().get(`${path}/p/exec?command=ls&container=c&stdout=true`);
      await api().get(`${path}/p/attach?container=c&stdout=true&stderr=true&tty=true`);
      await api().get(`${path}/p/portforward?ports=80&ports=443`);
      await api().get(`${path}/p/log`);
      const eviction = {
        apiVersion: "policy/v1",
        kind: "Eviction",
        metadata: { name: "p" },
        deleteOptions: {},
      };
      await api().send("POST", `${path}/p/eviction`, {
        ...eviction,
        deleteOptions: { gracePeriodSeconds: 3 },
      });
      // It is being deleted already, and goes no sooner for this.
      await api().send("DELETE", `${path}/p?gracePeriodSeconds=5`);
    });
    const expected = [
      {
        operation: "CREATE",
        subResource: "binding",
        name: "p",
        kind: { group: "", version: "v1", kind: "Binding" },
        object: { metadata: { name: "p", namespace: stage.namespace }, target: { name: "node" } },
        oldObject: null,
      },
      {
        operation: "CONNECT",
        subResource: "exec",
        kind: { group: "", version: "v1", kind: "PodExecOptions" },
        object: { kind: "PodExecOptions", apiVersion: "v1", stdout: true, container: "c", command: ["ls"] },
        options: null,
      },
      {
        operation: "CONNECT",
        subResource: "attach",
        kind: { group: "", version: "v1", kind: "PodAttachOptions" },
        object: { kind: "PodAttachOptions", stdout: true, stderr: true, tty: true, container: "c" },
      },
      {
        operation: "CONNECT",
        subResource: "portforward",
        kind: { group: "", version: "v1", kind: "PodPortForwardOptions" },
        object: { kind: "PodPortForwardOptions", apiVersion: "v1", ports: [80, 443] },
        options: null,
      },
      {
        operation: "CREATE",
        subResource: "eviction",
        kind: { group: "policy", version: "v1", kind: "Eviction" },
        object: {
          metadata: { name: "p", namespace: stage.namespace },
          deleteOptions: { gracePeriodSeconds: 3 },
        },
      },
    ];
    expect(mutating).toMatchObject(expected);
    expect(validating).toMatchObject(expected);
  });

  test("what is not stored is told all the same", async () => {
    const spec = { user: "x", nonResourceAttributes: { path: "/", verb: "get" } };
    const { mutating, validating } = await whatIsTold(["subjectaccessreviews"], async () =>
      api().send("POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", { spec }),
    );
    const expected = [{ operation: "CREATE", object: { kind: "SubjectAccessReview", spec } }];
    expect(mutating).toMatchObject(expected);
    expect(validating).toMatchObject(expected);
  });

  test("a service has its address when it is validated, and not before", async () => {
    const { mutating, validating } = await whatIsTold(["services"], async () =>
      api().send("POST", `/api/v1${space}/services`, {
        metadata: { name: "s" },
        spec: { ports: [{ port: 80 }] },
      }),
    );
    expect(mutating[0]?.object?.["spec"]).not.toHaveProperty("clusterIP");
    expect(validating[0]?.object?.["spec"]).toHaveProperty("clusterIP");
  });
});
