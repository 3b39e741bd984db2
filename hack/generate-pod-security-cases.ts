// Writes upstream's fixtures of pod security as one table, with what a real API server says of those that it refuses.
// Needs Go, whose cache of modules has the fixtures once `make real` has run, and the real API server.
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { load } from "js-yaml";
import { servers, type TestServer } from "../test/harness/servers.ts";

const target = new URL("../pkg/apiserver/admission/pod-security/testdata/fixtures.gen.json", import.meta.url);

type Level = "baseline" | "restricted";
/** First and last minor version. */
type Range = [number, number];

interface Fixture {
  readonly pod: { readonly metadata: { name?: string }; readonly spec: object };
  readonly allowed: Partial<Record<Level, Range[]>>;
  readonly refused: Partial<Record<Level, Range[]>>;
  readonly messages: { readonly level: Level; readonly version: number; readonly message: string }[];
}

function moduleDirectory(name: string): string {
  const cwd = new URL("../test/real", import.meta.url);
  return execFileSync("go", ["list", "-m", "-f", "{{.Dir}}", name], { cwd, encoding: "utf8" }).trim();
}

function readFixtures(): readonly Fixture[] {
  const root = join(moduleDirectory("k8s.io/pod-security-admission"), "test/testdata");
  const fixtures = new Map<string, Fixture>();
  for (const level of ["baseline", "restricted"] as const) {
    const versions = readdirSync(join(root, level)).map((name) => Number(name.slice("v1.".length)));
    for (const version of versions.sort((a, b) => a - b)) {
      for (const outcome of ["pass", "fail"] as const) {
        const directory = join(root, level, `v1.${version}`, outcome);
        for (const file of readdirSync(directory)) {
          const pod = load(readFileSync(join(directory, file), "utf8")) as Fixture["pod"];
          delete pod.metadata.name;
          const key = JSON.stringify(pod);
          const fixture = fixtures.get(key) ?? { pod, allowed: {}, refused: {}, messages: [] };
          fixtures.set(key, fixture);
          note(outcome === "pass" ? fixture.allowed : fixture.refused, level, version);
        }
      }
    }
  }
  return [...fixtures.values()];
}

function note(ranges: Partial<Record<Level, Range[]>>, level: Level, version: number): void {
  const list = (ranges[level] ??= []);
  const last = list.at(-1);
  if (last !== undefined && version <= last[1] + 1) last[1] = Math.max(last[1], version);
  else list.push([version, version]);
}

/** The newest refusal of each level. Pods that the server refuses for other reasons have none. */
async function record(server: TestServer, fixture: Fixture): Promise<void> {
  for (const level of ["baseline", "restricted"] as const) {
    const version = fixture.refused[level]?.at(-1)?.[1];
    if (version === undefined) continue;
    const namespace = `${level}-${version}`;
    const labels = {
      "pod-security.kubernetes.io/enforce": level,
      "pod-security.kubernetes.io/enforce-version": `v1.${version}`,
    };
    await server.request("POST", "/api/v1/namespaces", { metadata: { name: namespace, labels } });
    const home = `/api/v1/namespaces/${namespace}`;
    await server.request("POST", `${home}/serviceaccounts`, { metadata: { name: "default" } });
    const pod = { ...fixture.pod, metadata: { ...fixture.pod.metadata, name: "p" } };
    const { body } = await server.request("POST", `${home}/pods?dryRun=All`, pod);
    const { message = "" } = body as { readonly message?: string };
    if (message.includes("violates PodSecurity")) fixture.messages.push({ level, version, message });
  }
}

const real = servers.find(({ name }) => name === "real");
if (real === undefined) throw new Error("there is no real API server: make real");
const fixtures = readFixtures();
const server = await real.start();
try {
  for (const fixture of fixtures) await record(server, fixture);
} finally {
  await server.stop();
}
const lines = fixtures.map((fixture) => JSON.stringify(fixture));
writeFileSync(target, `[\n${lines.join(",\n")}\n]\n`);
const messages = fixtures.flatMap((fixture) => fixture.messages).length;
console.log(`${fixtures.length} pods, ${messages} refusals`);
