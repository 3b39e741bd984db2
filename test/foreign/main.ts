/**
 * Runs test suites that nobody here wrote against the embedded API server. Usage: node test/foreign/main.ts; ONLY=part
 * of a suite's name, FOCUS=pattern for the names of cases of the conformance, ALL=1 with the cases that are known not to
 * pass. Ends with 1 where another one failed.
 */
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { spawn, spawnSync, type SpawnSyncReturns } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { type Known, known, withPodPrograms } from "./known.ts";
import { type Case, goTests, specs } from "./results.ts";
import { inOwnNetwork } from "./own-network.ts";

const here = fileURLToPath(new URL(".", import.meta.url));
const built = fileURLToPath(new URL("../../.cache/foreign/", import.meta.url));
const runtime = "sigs.k8s.io/controller-runtime/";
const envtestSuites = [
  "builder",
  "cache",
  "client",
  "client/apiutil",
  "cluster",
  "controller",
  "controller/controllerutil",
  "handler",
  "internal/controller",
  "internal/recorder",
  "manager",
  "metrics/filters",
  "reconcile",
  "source",
  "webhook",
].map((name) => `pkg/${name}`);

const { ONLY = "", FOCUS = "", ALL } = process.env;
const scratch = mkdtempSync(join(tmpdir(), "kcm-foreign-"));
mkdirSync(built, { recursive: true });
let unexpected = 0;
try {
  for (const suite of envtestSuites) if (suite.includes(ONLY)) judge(suite, await runEnvtest(suite));
  if ("conformance".includes(ONLY)) judge("conformance", await runConformance());
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
process.exitCode = unexpected === 0 ? 0 : 1;

async function runEnvtest(suite: string): Promise<readonly Case[]> {
  const program = compile(suite.replaceAll("/", "-"), runtime + suite);
  const directory = go(["list", "-f", "{{.Dir}}", runtime + suite]).stdout.trim();
  const report = join(scratch, "report.json");
  rmSync(report, { force: true });
  const flags = ginkgoFlags(suite, report, "10m");
  const env = {
    ...process.env,
    TMPDIR: scratch,
    KUBEBUILDER_ASSETS: join(here, "assets"),
    KUBEBUILDER_CONTROLPLANE_START_TIMEOUT: "60s",
  };
  const log = suite.replaceAll("/", "-");
  const { status, log: written } = await run(program, ["-test.v", ...flags], { cwd: directory, env, log });
  const cases = existsSync(report) ? specs(readFileSync(report, "utf8")) : [];
  return failing(status, written, cases.length > 0 ? cases : goTests(readFileSync(written, "utf8")));
}

async function runConformance(): Promise<readonly Case[]> {
  const program = compile("e2e", "k8s.io/kubernetes/test/e2e");
  const servers = build("pod-servers", "./pod-servers");
  const report = join(scratch, "report.json");
  const stage = [process.execPath, join(here, "conformance.ts"), scratch];
  const inside = inOwnNetwork([...stage, servers]);
  if (inside === undefined)
    process.stdout.write("No network of one's own here: left out are webhooks in pods\n");
  const [command = "", ...args] = [
    ...(inside ?? [...stage, ""]),
    program,
    "--provider=skeleton",
    "--allowed-not-ready-nodes=5",
    "--minStartupPods=0",
    String.raw`--ginkgo.focus=\[sig-(api-machinery|auth)\].*(${FOCUS}).*\[Conformance\]`,
    ...ginkgoFlags("conformance", report, "2h", inside === undefined ? [withPodPrograms] : []),
  ];
  const { status, log } = await run(command, args, { cwd: scratch, env: process.env, log: "e2e" });
  return failing(status, log, existsSync(report) ? specs(readFileSync(report, "utf8")) : []);
}

interface Place {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** What the file is called that its output goes to. */
  readonly log: string;
}

/** What it writes is kept, for whoever wants to know more. */
async function run(
  program: string,
  flags: readonly string[],
  { log: name, ...place }: Place,
): Promise<{ readonly status: number | null; readonly log: string }> {
  const log = join(built, `${name}.log`);
  const output = openSync(log, "w");
  const child = spawn(program, flags, { ...place, stdio: ["ignore", output, output] });
  closeSync(output);
  const [status] = (await once(child, "exit")) as [number | null];
  return { status, log };
}

/** A program that failed without a case that says so has failed as a whole. */
function failing(status: number | null, log: string, cases: readonly Case[]): readonly Case[] {
  if (status === 0 || cases.some(({ passed }) => !passed)) return cases;
  return [...cases, { name: "the program", passed: false, message: `see ${log}` }];
}

function ginkgoFlags(
  suite: string,
  report: string,
  timeout: string,
  leftOut: readonly RegExp[] = [],
): readonly string[] {
  const skip = [...skipped(suite), ...leftOut.map(({ source }) => source)].join("|");
  const flags = ["--ginkgo.no-color", `--ginkgo.json-report=${report}`, `--ginkgo.timeout=${timeout}`];
  return skip === "" ? flags : [...flags, `--ginkgo.skip=${skip}`];
}

function skipped(suite: string): readonly string[] {
  if (ALL !== undefined) return [];
  return known.flatMap((one) => (one.suite === suite ? one.cases.source : []));
}

function judge(suite: string, cases: readonly Case[]): void {
  const failed = cases.filter(({ passed }) => !passed);
  const seen = new Set<Known>();
  process.stdout.write(`${suite}: ${cases.length - failed.length} of ${cases.length} passed\n`);
  for (const { name, message } of failed) {
    const reason = known.find((one) => one.suite === suite && one.cases.test(name));
    if (reason === undefined) unexpected++;
    else seen.add(reason);
    process.stdout.write(`  FAILED ${name}\n    ${reason?.why ?? message}\n`);
  }
  if (ALL !== undefined) return;
  for (const one of known) {
    if (one.suite === suite && !seen.has(one))
      process.stdout.write(`  not run: ${one.cases.source}\n    ${one.why}\n`);
  }
}

/** Where the program is: Go's cache makes the second time quick. */
function compile(name: string, packageName: string): string {
  const program = join(built, `${name}.test`);
  go(["test", "-c", "-vet=off", "-o", program, packageName]);
  return program;
}

function build(name: string, packageName: string): string {
  const program = join(built, name);
  go(["build", "-o", program, packageName]);
  return program;
}

function go(args: readonly string[]): SpawnSyncReturns<string> {
  const ran = spawnSync("go", args, { cwd: here, encoding: "utf8" });
  if (ran.status !== 0) throw new Error(`go ${args.join(" ")}: ${ran.stderr}`, { cause: ran.error });
  return ran;
}
