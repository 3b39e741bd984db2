import { expect, test } from "vitest";
import { describeApi } from "./api-client.ts";

/** The labels of every series of a metric that is about this resource, with its value. */
function seriesOf(text: string, metric: string, resource: string): readonly string[] {
  return text
    .split("\n")
    .filter((line) => line.startsWith(`${metric}{`) && line.includes(`resource="${resource}"`))
    .map((line) => {
      const [, labels = "", value = ""] = /\{(.*)\} (.*)$/.exec(line) ?? [];
      return `${labels.split(",").toSorted().join(",")} ${value}`;
    });
}

const labels = (verb: string, scope: string, more = ""): string =>
  [
    'component="apiserver"',
    `dry_run="${more === "dry" ? "All" : ""}"`,
    'group="networking.k8s.io"',
    'resource="networkpolicies"',
    `scope="${scope}"`,
    'subresource=""',
    `verb="${verb}"`,
    'version="v1"',
  ].join(",");

describeApi("metrics", (api) => {
  test("requests are counted by what they were about and how they ended; so are stored objects", async () => {
    const path = `/apis/networking.k8s.io/v1/namespaces/${await api().namespace()}/networkpolicies`;
    const policy = { metadata: { name: "a" }, spec: { podSelector: {} } };
    await api().send("POST", `${path}?dryRun=All`, policy);
    await api().send("POST", path, policy);
    await api().send("POST", path, policy);
    await api().get(path);
    await api().get(`${path}/a`);
    await api().get(`${path}/b`);
    await api().patch(`${path}/a`, "merge", { metadata: { labels: { a: "b" } } });
    const { apiVersion, kind } = { apiVersion: "networking.k8s.io/v1", kind: "NetworkPolicy" };
    await api().apply(`${path}/a`, "m", { apiVersion, kind, metadata: { name: "a" } });
    await api().send("DELETE", `${path}/a`);
    const { body, headers } = await api().get("/metrics");
    expect(String(headers["content-type"])).toContain("text/plain; version=0.0.4");
    const text = body as unknown as string;
    const counted = seriesOf(text, "apiserver_request_total", "networkpolicies");
    const withCode = (all: string, code: number): string =>
      [`code="${code}"`, ...all.split(",")].toSorted().join(",");
    const expected = [
      `${withCode(labels("POST", "resource", "dry"), 201)} 1`,
      `${withCode(labels("POST", "resource"), 201)} 1`,
      `${withCode(labels("POST", "resource"), 409)} 1`,
      `${withCode(labels("GET", "resource"), 200)} 1`,
      `${withCode(labels("GET", "resource"), 404)} 1`,
      `${withCode(labels("LIST", "namespace"), 200)} 1`,
      `${withCode(labels("PATCH", "resource"), 200)} 1`,
      `${withCode(labels("APPLY", "resource"), 200)} 1`,
      `${withCode(labels("DELETE", "resource"), 200)} 1`,
    ];
    expect(counted).toEqual(expect.arrayContaining(expected));
    const durations = seriesOf(text, "apiserver_request_duration_seconds_count", "networkpolicies");
    expect(durations).toEqual(expect.arrayContaining([`${labels("GET", "resource")} 2`]));
    const buckets = seriesOf(text, "apiserver_request_duration_seconds_bucket", "networkpolicies");
    const bounds = buckets
      .filter((line) => line.includes('verb="GET"'))
      .map((line) => /le="(.*?)"/.exec(line)?.[1]);
    expect(bounds.join(" ")).toBe(
      "0.005 0.025 0.05 0.1 0.2 0.4 0.6 0.8 1 1.25 1.5 2 3 4 5 6 8 10 15 20 30 45 60 +Inf",
    );
    expect(text).toMatch(/^apiserver_current_inflight_requests\{request_kind="readOnly"\} \d+$/m);
    expect(text).toMatch(/^apiserver_storage_objects\{resource="namespaces"\} \d+$/m);
    expect(text).toMatch(/^apiserver_resource_objects\{group="",resource="namespaces"\} \d+$/m);
  });
});
