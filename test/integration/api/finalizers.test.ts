import { beforeAll, expect, test } from "vitest";
import { apiVersionOf, resourcePath } from "../../../pkg/api/resource.ts";
import { isServedByDefault } from "../../../pkg/api/resources.ts";
import { MINIMAL_OBJECTS } from "../minimal-objects.ts";
import { describeApi } from "./api-client.ts";

// Of these there are some in every namespace that is made.
const there = new Set(["Namespace", "ServiceAccount"]);
const tried = MINIMAL_OBJECTS.filter(
  ([{ kind, version }]) => isServedByDefault({ version }) && !there.has(kind),
);

describeApi("finalizers", (api) => {
  let namespace = "";
  /** Of an object of each kind. */
  const paths = new Map<string, string>();

  beforeAll(async () => {
    namespace = await api().namespace();
    for (const [resource, object] of tried) {
      const { kind } = resource;
      const { name = "" } = object.metadata;
      const path = resourcePath(resource, resource.namespaced ? namespace : undefined);
      const body = { ...object, apiVersion: apiVersionOf(resource), kind, metadata: { name } };
      const made = await api().send("POST", path, body);
      expect([kind, made.status, made.status === 201 ? "" : made.body.message]).toEqual([kind, 201, ""]);
      paths.set(kind, `${path}/${name}?dryRun=All`);
    }
  });

  /** The kinds whose updates bring these. */
  async function takenBy(finalizers: readonly string[]): Promise<readonly string[]> {
    const kinds: string[] = [];
    for (const [kind, path] of paths) {
      const { status, body } = await api().patch(path, "merge", { metadata: { finalizers } });
      if (status === 200) kinds.push(kind);
      else expect(body.reason, kind).toBe("Invalid");
    }
    return kinds.toSorted();
  }

  test("an update says whose they are, of most kinds", async () => {
    expect(await takenBy(["x.io/a"])).toHaveLength(paths.size);
    expect(await takenBy(["x"])).toEqual(["Lease", "PodDisruptionBudget", "RuntimeClass"]);
  });

  test("an update does not ask for two ways to delete what depends on an object", async () => {
    expect(await takenBy(["orphan", "foregroundDeletion"])).toEqual([]);
  });

  test("an update does not bring what is no name", async () => {
    expect(await takenBy(["x.io/"])).toEqual([]);
  });

  test.each([
    ["admissionregistration.k8s.io/v1", "validatingwebhookconfigurations", {}],
    ["admissionregistration.k8s.io/v1", "mutatingwebhookconfigurations", {}],
    [
      "admissionregistration.k8s.io/v1",
      "validatingadmissionpolicybindings",
      { spec: { policyName: "p", validationActions: ["Deny"] } },
    ],
    ["node.k8s.io/v1", "runtimeclasses", { handler: "h" }],
    ["policy/v1", "poddisruptionbudgets", { spec: { minAvailable: 1, selector: {} } }],
  ])("%s takes %s with one that does not say whose it is", async (groupVersion, plural, body) => {
    const where = plural === "poddisruptionbudgets" ? `namespaces/${namespace}/` : "";
    const path = `/apis/${groupVersion}/${where}${plural}?dryRun=All`;
    const made = await api().send("POST", path, { metadata: { name: "x", finalizers: ["x"] }, ...body });
    expect([made.status, made.body.metadata.finalizers]).toEqual([201, ["x"]]);
  });

  test("events say whose they are in one version and not in the other", async () => {
    const path = `namespaces/${namespace}/events?dryRun=All`;
    const metadata = { name: "e", namespace, finalizers: ["x"] };
    const old = await api().send("POST", `/api/v1/${path}`, { metadata, involvedObject: { namespace } });
    expect([old.status, old.body.metadata.finalizers]).toEqual([201, ["x"]]);
    const refused = await api().send("POST", `/apis/events.k8s.io/v1/${path}`, {
      metadata,
      regarding: { namespace },
      eventTime: "2026-01-01T00:00:00.000000Z",
      reportingController: "x.io/a",
      reportingInstance: "a",
      action: "a",
      reason: "r",
      type: "Normal",
    });
    expect([refused.status, refused.body.message]).toEqual([
      422,
      'Event "e" is invalid: metadata.finalizers[0]: Invalid value: "x": name is neither a standard finalizer name nor is it fully qualified',
    ]);
  });
});
