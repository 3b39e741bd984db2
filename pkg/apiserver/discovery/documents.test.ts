import { describe, expect, test } from "vitest";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { seededRandom } from "../../clock/random.ts";
import type { ApiServer } from "../server/api-server.ts";
import type { ApiResponse } from "../server/request.ts";
import { embeddedServer } from "../embedded-server.ts";
import { compareVersions } from "./version-order.ts";

type Json = Record<string, unknown>;

async function get(server: ApiServer, path: string, accept = "application/json"): Promise<ApiResponse> {
  return server.handle({ method: "GET", path, query: new URLSearchParams(), headers: { accept } });
}

async function json(server: ApiServer, path: string): Promise<Json> {
  const { status, body } = await get(server, path);
  expect([path, status, body.kind]).toEqual([path, 200, "object"]);
  return (body as { readonly value: Json }).value;
}

function newServer(): ApiServer {
  return embeddedServer({ clock: new VirtualClock(), random: seededRandom(1) });
}

test("versions are preferred as upstream prefers them", () => {
  const sorted = [
    "foo10",
    "v10",
    "v2",
    "v1",
    "v11beta2",
    "v10beta3",
    "v3beta1",
    "v12alpha1",
    "v11alpha2",
    "foo1",
  ];
  expect(sorted.toReversed().sort(compareVersions)).toEqual([
    "v10",
    "v2",
    "v1",
    "v11beta2",
    "v10beta3",
    "v3beta1",
    "v12alpha1",
    "v11alpha2",
    "foo1",
    "foo10",
  ]);
});

describe("OpenAPI", () => {
  test("every document of the index is there, and all its references lead somewhere", async () => {
    const server = newServer();
    const index = (await json(server, "/openapi/v3")) as {
      readonly paths: Record<string, { readonly serverRelativeURL: string }>;
    };
    expect(Object.keys(index.paths)).toContain("apis/apps/v1");
    for (const path of Object.keys(index.paths)) {
      const document = await json(server, `/openapi/v3/${path}`);
      const { schemas } = document["components"] as { readonly schemas: Json };
      const references = [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/([^"]+)"/g)];
      expect(references.length).toBeGreaterThan(0);
      expect(references.map(([, name = ""]) => name).filter((name) => !Object.hasOwn(schemas, name))).toEqual(
        [],
      );
    }
  });

  test("clients find the kind behind a patch and that fields are validated", async () => {
    const document = await json(newServer(), "/openapi/v3/apis/apps/v1");
    const paths = document["paths"] as Record<string, Record<string, Json>>;
    const patch = paths["/apis/apps/v1/namespaces/{namespace}/deployments/{name}"]?.["patch"];
    expect(patch?.["x-kubernetes-group-version-kind"]).toEqual({
      group: "apps",
      version: "v1",
      kind: "Deployment",
    });
    expect(patch?.["parameters"]).toContainEqual(
      expect.objectContaining({ name: "fieldValidation", in: "query" }),
    );
  });

  test("every kind and every field of a kind is described", async () => {
    const document = await json(newServer(), "/openapi/v3/apis/apps/v1");
    const { schemas } = document["components"] as { readonly schemas: Record<string, Json> };
    const spec = schemas["io.k8s.api.apps.v1.DeploymentSpec"];
    expect(spec?.["description"]).toMatch(/specification of the desired behavior of the Deployment/);
    const fields = Object.entries((spec?.["properties"] ?? {}) as Record<string, Json>);
    expect(fields.filter(([, { description }]) => description === undefined)).toEqual([]);
    const { description } = schemas["io.k8s.apimachinery.pkg.apis.meta.v1.Time"] ?? {};
    expect(description).toMatch(/^Time is a wrapper/);
  });

  test("what every object has is described for custom resources, too", async () => {
    const server = newServer();
    const version = {
      name: "v1",
      served: true,
      storage: true,
      schema: { openAPIV3Schema: { type: "object" } },
    };
    const names = { plural: "widgets", kind: "Widget" };
    const created = await server.handle({
      method: "POST",
      path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
      query: new URLSearchParams(),
      headers: { "content-type": "application/json" },
      body: {
        value: {
          metadata: { name: "widgets.example.com" },
          spec: { group: "example.com", scope: "Namespaced", names, versions: [version] },
        },
      },
    });
    expect(created.status).toBe(201);
    const document = await json(server, "/openapi/v3/apis/example.com/v1");
    const { schemas } = document["components"] as { readonly schemas: Record<string, Json> };
    const properties = schemas["com.example.v1.Widget"]?.["properties"] as Record<string, Json>;
    for (const name of ["apiVersion", "kind", "metadata"])
      expect(properties[name]?.["description"]).toEqual(expect.any(String));
  });

  test("the v2 document has the definitions of all groups, and exists in JSON only", async () => {
    const server = newServer();
    const { definitions } = (await json(server, "/openapi/v2")) as { readonly definitions: Json };
    expect(Object.keys(definitions)).toEqual(
      expect.arrayContaining(["io.k8s.api.core.v1.Pod", "io.k8s.api.apps.v1.Deployment"]),
    );
    const protobuf = await get(
      server,
      "/openapi/v2",
      "application/com.github.proto-openapi.spec.v2@v1.0+protobuf",
    );
    expect(protobuf.status).toBe(406);
  });
});

test("the root names all paths", async () => {
  const { paths } = (await json(newServer(), "/")) as { readonly paths: readonly string[] };
  expect(paths.filter((path) => !path.startsWith("/apis/"))).toEqual([
    "/api",
    "/api/v1",
    "/apis",
    "/healthz",
    "/livez",
    "/openapi/v2",
    "/openapi/v3",
    "/readyz",
    "/version",
  ]);
  expect(paths.filter((path) => path.startsWith("/apis/apps"))).toEqual(["/apis/apps", "/apis/apps/v1"]);
});

test("health says what was checked when asked", async () => {
  const server = newServer();
  const response = await server.handle({
    method: "GET",
    path: "/readyz",
    query: new URLSearchParams("verbose"),
    headers: {},
  });
  expect(response.body).toEqual({
    kind: "text",
    text:
      "[+]ping ok\n[+]log ok\n[+]etcd ok\n[+]poststarthook/start-apiextensions-controllers ok\n" +
      "[+]etcd-readiness ok\n[+]informer-sync ok\n[+]shutdown ok\nreadyz check passed\n",
  });
  expect((await get(server, "/livez/ping")).status).toBe(200);
  expect((await get(server, "/livez/nope")).status).toBe(404);
});
