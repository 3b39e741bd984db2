import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { servers, type TestServer } from "../harness/servers.ts";
import { until } from "../harness/until.ts";

const run = promisify(execFile);
const started: TestServer[] = [];
const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

const schema = {
  type: "object",
  description: "Widget is a thing.",
  required: ["spec"],
  properties: {
    spec: {
      type: "object",
      description: "What it should be.",
      properties: {
        size: { type: "integer", description: "How large it is." },
        color: { type: "string", enum: ["red", "blue"] },
      },
    },
  },
};

beforeAll(async () => {
  for (const kind of servers) started.push(await kind.start());
  const version = { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } };
  const spec = {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "widgets", kind: "Widget" },
    versions: [version],
  };
  const definition = { metadata: { name: "widgets.example.com" }, spec };
  for (const server of started) {
    const { status } = await server.request("POST", definitions, definition);
    expect(status).toBe(201);
    const hasDocument = async (): Promise<boolean> =>
      (await server.request("GET", "/openapi/v3/apis/example.com/v1")).status === 200;
    await until("the kind has a document", hasDocument);
  }
});

afterAll(async () => {
  await Promise.all(started.map(async (server) => server.stop()));
});

async function explain(server: TestServer, ...args: readonly string[]): Promise<string> {
  const cache = `--cache-dir=${server.directory}/cache`;
  const { stdout } = await run("kubectl", ["explain", ...args, `--kubeconfig=${server.kubeconfig}`, cache]);
  return stdout;
}

test.each([
  ["pods"],
  ["pod.spec.containers.resources"],
  ["pod.spec.restartPolicy"],
  ["deployments.spec.strategy.rollingUpdate.maxSurge"],
  ["service.spec.ports", "--recursive"],
  ["cronjob.metadata.ownerReferences"],
  ["persistentvolumeclaims.spec.resources.requests"],
  ["customresourcedefinitions.spec.versions.schema"],
  ["validatingadmissionpolicies.spec.validations"],
  ["widgets"],
  ["widgets.metadata"],
  ["widget.spec"],
])("explain %s %s", async (...args) => {
  const [ours = "", ...others] = await Promise.all(started.map(async (server) => explain(server, ...args)));
  expect(ours).toContain("DESCRIPTION:");
  expect(ours).not.toMatch(/DESCRIPTION:\n *<empty>/);
  for (const other of others) expect(ours).toBe(other);
});
