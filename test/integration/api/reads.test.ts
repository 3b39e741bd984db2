import { expect, test } from "vitest";
import { type ApiClient, type Body, describeApi, type StreamedEvent } from "./api-client.ts";

function names(list: Body): readonly string[] {
  return list.items.map((item) => item.metadata.name);
}

function shape(events: readonly StreamedEvent[]): readonly string[] {
  return events.map(({ type, object }) => `${type} ${object.metadata.name ?? "-"}`);
}

async function fill(api: ApiClient, count: number): Promise<string> {
  const path = await api.configMaps();
  for (let index = 1; index <= count; index++)
    await api.send("POST", path, {
      metadata: { name: `c${index}`, labels: { parity: index % 2 === 0 ? "even" : "odd" } },
    });
  return path;
}

describeApi("reads", (api) => {
  test("a list is in order of names and says the version that it shows", async () => {
    const path = await fill(api(), 3);
    const { status, body } = await api().get(path);
    expect([status, body.kind, names(body)]).toEqual([200, "ConfigMapList", ["c1", "c2", "c3"]]);
    expect(body.items[0]?.kind).toBeUndefined();
    expect(Number(body.metadata.resourceVersion)).toBeGreaterThanOrEqual(
      Number(body.items[2]?.metadata.resourceVersion),
    );
  });

  test("label and field selectors restrict lists", async () => {
    const path = await fill(api(), 4);
    const select = async (query: string): Promise<readonly string[]> =>
      names((await api().get(`${path}?${query}`)).body);
    expect(await select("labelSelector=parity%3Deven")).toEqual(["c2", "c4"]);
    expect(await select("labelSelector=parity+notin+(even)")).toEqual(["c1", "c3"]);
    expect(await select("labelSelector=!parity")).toEqual([]);
    expect(await select("fieldSelector=metadata.name%3Dc3")).toEqual(["c3"]);
    expect(await select("fieldSelector=metadata.name!%3Dc3,metadata.name!%3Dc1")).toEqual(["c2", "c4"]);
  });

  test("selectors and parameters that cannot be read are refused", async () => {
    const path = await api().configMaps();
    const cases: readonly [string, number, string][] = [
      [
        "labelSelector=a%20b",
        400,
        "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt",
      ],
      [
        "fieldSelector=foo%3Dbar",
        400,
        '"foo" is not a known field selector: only "metadata.name", "metadata.namespace"',
      ],
      ["fieldSelector=foo", 400, "invalid selector: 'foo'; can't understand 'foo'"],
      ["limit=abc", 400, 'strconv.ParseInt: parsing "abc": invalid syntax'],
      [
        "resourceVersion=abc",
        400,
        'invalid resource version: resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax',
      ],
      [
        "resourceVersionMatch=Exact",
        422,
        'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided',
      ],
      [
        "resourceVersionMatch=Exact&resourceVersion=0",
        422,
        'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
      ],
      [
        "sendInitialEvents=true",
        422,
        'ListOptions.meta.k8s.io "" is invalid: sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list',
      ],
      [
        "limit=1&continue=abc",
        400,
        "invalid continue token: continue key is not valid: invalid character 'i' looking for beginning of value",
      ],
    ];
    for (const [query, status, message] of cases) {
      const answer = await api().get(`${path}?${query}`);
      expect([query, answer.status, answer.body.message]).toEqual([query, status, message]);
    }
  });

  test("pages add up to the list as it was at the first page", async () => {
    const path = await fill(api(), 5);
    const first = (await api().get(`${path}?limit=2`)).body;
    expect([names(first), first.metadata.remainingItemCount]).toEqual([["c1", "c2"], 3]);
    await api().send("DELETE", `${path}/c3`);
    await api().send("POST", path, { metadata: { name: "c25" } });
    const second = (await api().get(`${path}?limit=2&continue=${first.metadata.continue}`)).body;
    expect([names(second), second.metadata.resourceVersion]).toEqual([
      ["c3", "c4"],
      first.metadata.resourceVersion,
    ]);
    const third = (await api().get(`${path}?limit=2&continue=${second.metadata.continue}`)).body;
    expect([names(third), third.metadata.continue ?? ""]).toEqual([["c5"], ""]);
    expect(names((await api().get(path)).body)).toEqual(["c1", "c2", "c25", "c4", "c5"]);
  });

  test("a page of a selection has no count of what remains", async () => {
    const path = await fill(api(), 5);
    const page = (await api().get(`${path}?limit=1&labelSelector=parity%3Dodd`)).body;
    expect(names(page)).toEqual(["c1"]);
    expect([page.metadata.continue === undefined, page.metadata.remainingItemCount]).toEqual([
      false,
      undefined,
    ]);
  });

  test("a list at an exact version shows the past, one not older shows the present", async () => {
    const path = await fill(api(), 2);
    const { resourceVersion } = (await api().get(path)).body.metadata;
    await api().send("DELETE", `${path}/c1`);
    const past = await api().get(`${path}?resourceVersion=${resourceVersion}&resourceVersionMatch=Exact`);
    expect([names(past.body), past.body.metadata.resourceVersion]).toEqual([["c1", "c2"], resourceVersion]);
    for (const query of [
      `resourceVersion=${resourceVersion}&resourceVersionMatch=NotOlderThan`,
      `resourceVersion=${resourceVersion}`,
      "resourceVersion=0",
    ]) {
      const present = await api().get(`${path}?${query}`);
      // A cache may lag behind for a moment; it is never behind the version asked for.
      if (!query.endsWith("=0"))
        expect(Number(present.body.metadata.resourceVersion)).toBeGreaterThanOrEqual(Number(resourceVersion));
      expect(present.status).toBe(200);
    }
    const continued = await api().get(`${path}?resourceVersion=${resourceVersion}&limit=1`);
    expect(names(continued.body)).toEqual(["c1"]);
  });

  test("a version from the future times out and says so", async () => {
    const path = await fill(api(), 1);
    for (const target of [`${path}?resourceVersion=99999999`, `${path}/c1?resourceVersion=99999999`]) {
      const { status, body } = await api().get(target);
      expect([status, body.reason]).toEqual([504, "Timeout"]);
      expect(body.message).toMatch(/^Timeout: Too large resource version: 99999999, current: \d+$/);
      expect(body.details).toMatchObject({
        causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
        retryAfterSeconds: 1,
      });
    }
  });

  test("a watch from a version tells what happened since, in order", async () => {
    const path = await fill(api(), 1);
    const { resourceVersion } = (await api().get(path)).body.metadata;
    await api().send("POST", path, { metadata: { name: "n" } });
    await api().patch(`${path}/n`, "merge", { data: { x: "1" } });
    const gone = await api().send("DELETE", `${path}/n`);
    expect(gone.status).toBe(200);
    const events = await api().watch(
      `${path}?watch=1&resourceVersion=${resourceVersion}&timeoutSeconds=5`,
      3,
    );
    expect(shape(events)).toEqual(["ADDED n", "MODIFIED n", "DELETED n"]);
    const versions = events.map(({ object }) => Number(object.metadata.resourceVersion));
    expect(versions).toEqual([...versions].sort((a, b) => a - b));
    expect(new Set(versions).size).toBe(3);
    expect(events[2]?.object.data).toEqual({ x: "1" });
    expect(events[0]?.object.kind).toBe("ConfigMap");
  });

  test("a watch without a version begins with the state", async () => {
    const path = await fill(api(), 2);
    const events = await api().watch(`${path}?watch=1&timeoutSeconds=1`, 9);
    expect(shape(events)).toEqual(["ADDED c1", "ADDED c2"]);
  });

  test("a streamed list ends with a bookmark that says so", async () => {
    const path = await fill(api(), 2);
    const query =
      "watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&timeoutSeconds=5";
    const events = await api().watch(`${path}?${query}`, 3);
    expect(events.map(({ type }) => type)).toEqual(["ADDED", "ADDED", "BOOKMARK"]);
    const bookmark = events[2]?.object;
    expect(bookmark?.kind).toBe("ConfigMap");
    expect(bookmark?.metadata).toMatchObject({ annotations: { "k8s.io/initial-events-end": "true" } });
    expect(Number(bookmark?.metadata.resourceVersion)).toBeGreaterThanOrEqual(
      Number(events[1]?.object.metadata.resourceVersion),
    );
  });

  test("the options of a streamed list are checked", async () => {
    const path = await api().configMaps();
    const loose = await api().get(`${path}?watch=1&sendInitialEvents=true`);
    expect([loose.status, loose.body.message]).toEqual([
      422,
      'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan',
    ]);
    const matched = await api().get(`${path}?watch=1&resourceVersionMatch=NotOlderThan&resourceVersion=5`);
    expect(matched.status).toBe(422);
  });

  test("a selector turns changes into additions and deletions", async () => {
    const path = await api().configMaps();
    const { body } = await api().send("POST", path, { metadata: { name: "a", labels: { in: "no" } } });
    const since = body.metadata.resourceVersion;
    let leftAt: string | undefined;
    for (const value of ["yes", "yes2", "no"]) {
      const metadata = { labels: { in: value.slice(0, 3), v: value } };
      leftAt = (await api().patch(`${path}/a`, "merge", { metadata })).body.metadata.resourceVersion;
    }
    await api().patch(`${path}/a`, "merge", { data: { unseen: "1" } });
    await api().send("DELETE", `${path}/a`);
    const query = `watch=1&resourceVersion=${since}&labelSelector=in%3Dyes&timeoutSeconds=2`;
    const events = await api().watch(`${path}?${query}`, 9);
    expect(shape(events)).toEqual(["ADDED a", "MODIFIED a", "DELETED a"]);
    expect(events[2]?.object.metadata.labels).toEqual({ in: "yes", v: "yes2" });
    expect(events[2]?.object.metadata.resourceVersion).toBe(leftAt);
  });

  test("a watch of one name sees nothing else", async () => {
    const path = await fill(api(), 1);
    const { resourceVersion } = (await api().get(path)).body.metadata;
    for (const name of ["c10", "c1x"]) await api().send("POST", path, { metadata: { name } });
    await api().patch(`${path}/c1`, "merge", { data: { x: "1" } });
    const events = await api().watch(
      `${path}?watch=1&resourceVersion=${resourceVersion}&fieldSelector=metadata.name%3Dc1&timeoutSeconds=2`,
      9,
    );
    expect(shape(events)).toEqual(["MODIFIED c1"]);
  });

  test("metadata only, and tables with and without their objects", async () => {
    const path = await fill(api(), 1);
    const partial = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
    const one = (await api().get(`${path}/c1`, { accept: partial })).body;
    expect([one.kind, one["apiVersion"], one.data]).toEqual([
      "PartialObjectMetadata",
      "meta.k8s.io/v1",
      undefined,
    ]);
    const list = (
      await api().get(path, { accept: "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1" })
    ).body;
    expect([list.kind, list.items[0]?.kind]).toEqual(["PartialObjectMetadataList", "PartialObjectMetadata"]);
    const table = "application/json;as=Table;g=meta.k8s.io;v=v1";
    const rows = (await api().get(path, { accept: table })).body as unknown as TableBody;
    expect(rows.columnDefinitions.map(({ name }) => name)).toEqual(["Name", "Data", "Age"]);
    expect(rows.rows[0]?.cells.slice(0, 2).map(String)).toEqual(["c1", "0"]);
    expect(rows.rows[0]?.object?.kind).toBe("PartialObjectMetadata");
    const full = (await api().get(`${path}/c1?includeObject=Object`, { accept: table }))
      .body as unknown as TableBody;
    expect(full.rows[0]?.object?.kind).toBe("ConfigMap");
    const bare = (await api().get(`${path}/c1?includeObject=None`, { accept: table }))
      .body as unknown as TableBody;
    expect(bare.rows[0]?.object).toBeNull();
    const text = await api().get(`${path}/c1`, { accept: "text/plain" });
    expect([text.status, text.body.reason]).toEqual([406, "NotAcceptable"]);
  });

  test("a watch as a table that there is not is refused before there is anything to see", async () => {
    const path = `/api/v1/namespaces/${await api().namespace()}/limitranges`;
    const accept = "application/json;as=Table;g=meta.k8s.io;v=v1";
    const refused = await api().get(`${path}?watch=true&includeObject=x&timeoutSeconds=5`, { accept });
    expect([refused.status, refused.body.message]).toEqual([
      400,
      "Unable to convert to Table as requested: includeObject: Invalid value: \"x\": must be 'Metadata', 'Object', 'None', or empty",
    ]);
  });

  test("events show in both of their APIs", async () => {
    const name = await api().namespace();
    const regarding = { kind: "Pod", name: "p", namespace: name };
    const made = await api().send("POST", `/apis/events.k8s.io/v1/namespaces/${name}/events`, {
      metadata: { name: "e" },
      eventTime: "2026-01-01T00:00:00.000000Z",
      reportingController: "example.com/c",
      reportingInstance: "i",
      action: "Act",
      reason: "Because",
      type: "Normal",
      note: "hello",
      regarding,
    });
    expect([made.status, made.body["note"]]).toEqual([201, "hello"]);
    const core = (await api().get(`/api/v1/namespaces/${name}/events/e`)).body;
    expect(core).toMatchObject({
      apiVersion: "v1",
      message: "hello",
      involvedObject: regarding,
      reportingComponent: "example.com/c",
    });
    const selected = await api().get(
      `/api/v1/namespaces/${name}/events?fieldSelector=involvedObject.name%3Dp,reason%3DBecause`,
    );
    expect(names(selected.body)).toEqual(["e"]);
  });

  test("autoscalers show in both of their APIs", async () => {
    const name = await api().namespace();
    const base = (version: string): string =>
      `/apis/autoscaling/${version}/namespaces/${name}/horizontalpodautoscalers`;
    const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "d" };
    await api().send("POST", base("v1"), {
      metadata: { name: "h" },
      spec: { maxReplicas: 3, targetCPUUtilizationPercentage: 60, scaleTargetRef },
    });
    const later = (await api().get(`${base("v2")}/h`)).body;
    expect(later.spec).toEqual({
      minReplicas: 1,
      maxReplicas: 3,
      scaleTargetRef,
      metrics: [
        {
          type: "Resource",
          resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 60 } },
        },
      ],
    });
    const memory = {
      type: "Resource",
      resource: { name: "memory", target: { type: "AverageValue", averageValue: "1Gi" } },
    };
    await api().patch(`${base("v2")}/h`, "merge", {
      spec: {
        metrics: [...(later.spec["metrics"] as object[]), memory],
        behavior: { scaleUp: { selectPolicy: "Disabled" } },
      },
    });
    const { metadata, spec } = (await api().get(`${base("v1")}/h`)).body;
    expect(spec).toEqual({
      minReplicas: 1,
      maxReplicas: 3,
      scaleTargetRef,
      targetCPUUtilizationPercentage: 60,
    });
    expect(metadata).toMatchObject({
      annotations: {
        "autoscaling.alpha.kubernetes.io/metrics":
          '[{"type":"Resource","resource":{"name":"memory","targetAverageValue":"1Gi"}}]',
        // By the names that Go has for its fields.
        "autoscaling.alpha.kubernetes.io/behavior":
          '{"ScaleUp":{"StabilizationWindowSeconds":0,"SelectPolicy":"Disabled","Policies":[{"Type":"Pods","Value":4,"PeriodSeconds":15},{"Type":"Percent","Value":100,"PeriodSeconds":15}],"Tolerance":null},"ScaleDown":{"StabilizationWindowSeconds":null,"SelectPolicy":"Max","Policies":[{"Type":"Percent","Value":100,"PeriodSeconds":15}],"Tolerance":null}}',
      },
    });
  });

  test("discovery in both forms, health and version", async () => {
    const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
    const all = await api().get("/apis", { accept: aggregated });
    expect(String(all.headers["content-type"])).toContain("as=APIGroupDiscoveryList");
    expect(all.body.items.map(({ metadata }) => metadata.name)).toContain("apps");
    const group = (await api().get("/apis/apps")).body as unknown as { readonly preferredVersion: unknown };
    expect(group.preferredVersion).toEqual({ groupVersion: "apps/v1", version: "v1" });
    const { resources } = (await api().get("/apis/apps/v1")).body as unknown as {
      readonly resources: readonly { readonly name: string; readonly shortNames?: unknown }[];
    };
    expect(resources.find(({ name }) => name === "deployments")?.shortNames).toEqual(["deploy"]);
    expect(resources.map(({ name }) => name)).toContain("deployments/scale");
    for (const probe of ["/healthz", "/livez", "/readyz"]) expect((await api().get(probe)).body).toBe("ok");
    expect((await api().get("/version")).body).toMatchObject({ major: "1", minor: "36" });
  });
});

interface TableBody {
  readonly columnDefinitions: readonly { readonly name: string }[];
  readonly rows: readonly {
    readonly cells: readonly unknown[];
    readonly object: { readonly kind: string } | null;
  }[];
}
