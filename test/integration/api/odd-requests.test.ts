import { beforeAll, expect, test } from "vitest";
import { describeApi } from "./api-client.ts";

// What requests made by chance have shown that nobody would have thought of.
describeApi("odd requests", (api) => {
  let space = "";
  beforeAll(async () => {
    space = await api().namespace();
  });

  test.each([
    ["PUT", "an empty list", []],
    ["PUT", "an empty entry", [{}]],
    ["merge", "an empty list", []],
  ])("a %s with %s of managers forgets them all", async (how, what, managedFields) => {
    const name = `forgets-${how}-${what.replaceAll(" ", "-")}`.toLowerCase();
    const path = `/api/v1/namespaces/${space}/configmaps`;
    const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { a: "1" } };
    const made = await api().send("POST", path, object);
    expect(made.body.metadata.managedFields).toHaveLength(1);
    const asked =
      how === "PUT"
        ? await api().send("PUT", `${path}/${name}`, { ...object, metadata: { name, managedFields } })
        : await api().patch(`${path}/${name}`, "merge", { metadata: { managedFields } });
    expect([asked.status, asked.body.metadata.managedFields]).toEqual([200, undefined]);
    // From then on nobody is written down, until somebody applies.
    const next = await api().patch(`${path}/${name}?fieldManager=next`, "merge", { data: { b: "2" } });
    expect(next.body.metadata.managedFields).toBeUndefined();
  });

  test("a pod has the class of quality that it came with", async () => {
    const spec = { containers: [{ name: "c", image: "i" }], automountServiceAccountToken: false };
    const path = `/api/v1/namespaces/${space}/pods`;
    const make = async (name: string, status: object) =>
      api().send("POST", path, { apiVersion: "v1", kind: "Pod", metadata: { name }, spec, status });
    const given = await make("given", { qosClass: "Burstable", phase: "Running" });
    expect(given.body.status).toEqual({ phase: "Pending", qosClass: "Burstable" });
    const none = await make("none", { phase: "Running" });
    expect(none.body.status).toEqual({ phase: "Pending", qosClass: "BestEffort" });
  });

  test.each([
    { key: "forZones", most: 8, name: "zone" },
    { key: "forNodes", most: 8, name: "node" },
  ])("hints $key name each but once, and no more than $most", async ({ key, most, name }) => {
    const path = `/apis/discovery.k8s.io/v1/namespaces/${space}/endpointslices`;
    const causesOf = async (names: readonly string[]): Promise<readonly unknown[]> => {
      const hints = { [key]: names.map((each) => ({ name: each })) };
      const endpoints = [{ addresses: ["10.1.2.3"], hints }];
      const slice = { metadata: { name: `${name}-hints` }, addressType: "IPv4", endpoints };
      const { status, body } = await api().send("POST", `${path}?dryRun=All`, slice);
      const causes = (body.details?.["causes"] ?? []) as readonly { readonly message: string }[];
      return [status === 201, ...causes.map(({ message }) => message)];
    };
    expect(await causesOf(["a", "b"])).toEqual([true]);
    expect(await causesOf(["a", "b", "a"])).toEqual([false, 'Duplicate value: "a"']);
    const many = Array.from({ length: most + 1 }, () => "a");
    expect(await causesOf(many)).toEqual([false, `Too many: ${most + 1}: must have at most ${most} items`]);
  });
});
