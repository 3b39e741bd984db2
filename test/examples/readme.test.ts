import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { ManagerOptions } from "../../pkg/manager/index.ts";
import { testCluster } from "../../cmd/testing/index.ts";
import { websiteOperator } from "./website/operator.ts";
import { Website } from "./website/website.ts";

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8");
const readme = read("../../pkg/controller/README.md");
/** As far as it does not depend on where a line ends. */
const bare = (code: string): string => code.replaceAll(/\s|,(?=\s*[)}\]])/g, "");
const here = bare(read("readme.test.ts"));
const blocks = [...readme.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = ""]) => code);

test("the README shows this very operator", () => {
  expect(blocks).toContain(read("website/operator.ts"));
});

test("the README shows a test that runs", async () => {
  const cluster = await testCluster({
    definitions: [Website],
    nodes: 2,
    controllers: [websiteOperator],
  });
  await cluster.create(Website, { metadata: { name: "blog" }, spec: { replicas: 2, page: "Hello" } });
  await cluster.until(
    "it is ready",
    async () => (await cluster.get(Website, "blog")).status?.readyReplicas === 2,
  );
  await cluster.pass(3_600_000);
  await cluster.stop();
  const shown = blocks.find((block) => block.includes("testCluster("));
  expect(here).toContain(bare(shown ?? "nothing is shown"));
});

test("the README's program is one", () => {
  const options: ManagerOptions = {
    name: "website-operator",
    run: [websiteOperator],
    installCrds: [Website],
    leaderElection: { namespace: "websites", warm: true },
    port: { health: 8081, metrics: 8080 },
  };
  expect(options.run).toEqual([websiteOperator]);
  const [, shown = "nothing is shown"] =
    /manager\((.*)\)\.run\(\)/s.exec(blocks.find((block) => block.startsWith("await manager(")) ?? "") ?? [];
  expect(here).toContain(bare(shown));
});

test("every capability that the README lists names a test that is there", () => {
  const [, table = ""] = readme.split("## What client-go, controller-runtime and kube-rs have");
  const rows = table.split("\n").filter((line) => /^\| (?!theirs|---)/.test(line) && !line.startsWith("|-"));
  expect(rows).toHaveLength(65);
  const shown = rows.flatMap((row) => {
    const [, file, name] = /\| `([^`]+\.test\.ts)`: (.+?) +\|$/.exec(row) ?? [];
    return file === undefined || name === undefined ? [] : [[file, name] as const];
  });
  expect(shown).toHaveLength(rows.length);
  for (const [file, name] of shown) expect(read(`../../${file}`)).toContain(`"${name}"`);
});
