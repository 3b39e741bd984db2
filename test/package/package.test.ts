import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { loadAll } from "js-yaml";
import { rolldown } from "rolldown";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ClusterRole } from "../../pkg/api/types/rbac-v1.gen.ts";
import { hasRealCluster, startRealCluster } from "../harness/real-cluster.ts";
import { until } from "../harness/until.ts";
import { testWhere } from "../harness/where.ts";
import { Consumer } from "./consumer.ts";
import { Guide, guides } from "./guide.ts";
import { NewProject } from "./new-project.ts";
import { clusterProgram, everyRoom, minimalProgram, operatorProgram } from "../../hack/package/programs.ts";

let consumer: Consumer;

beforeAll(async () => {
  consumer = await Consumer.create();
  // What a project in TypeScript has of its own.
  consumer.link("@types/node");
});

afterAll(async () => rm(consumer.directory, { recursive: true }));

/** Those that are imported by name; the types of a group have a pattern. */
function rooms(): readonly string[] {
  const named = Object.keys(consumer.manifest.exports).filter(
    (room) => !room.includes("*") && !room.endsWith(".json"),
  );
  return [...named, "./api/core-v1", "./api/apps-v1", "./api/meta"];
}

test("the tarball holds what was built, its sources, the programs, and no test", () => {
  const files = globSync("**/*", { cwd: consumer.installed, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(consumer.installed.length + 1));
  expect(new Set(files.map((path) => path.split("/")[0]))).toEqual(
    new Set(["CHANGELOG.md", "LICENSE", "README.md", "bin", "docs", "lib", "package.json", "src"]),
  );
  const unwanted =
    /(\.test|\.test-data|\.bench)\.|(^|\/)(test|hack|node_modules|goldens)\/|\.br$|\.go$|tsbuildinfo/;
  expect(files.filter((path) => unwanted.test(path))).toEqual([]);
  // One declaration, and a map for each, for every module; and the source that they came from.
  const modules = files.filter((path) => path.startsWith("lib/") && path.endsWith(".js"));
  expect(modules.length).toBeGreaterThan(500);
  for (const path of modules) {
    const name = path.slice(0, -".js".length);
    const source = `${name.replace(/^lib\//, "src/")}.ts`;
    expect(files).toEqual(expect.arrayContaining([`${name}.d.ts`, `${name}.js.map`, source]));
  }
});

test("what is exported is there, and maps lead to sources", () => {
  for (const target of Object.values(consumer.manifest.exports)) {
    if (typeof target === "string") continue;
    for (const path of Object.values(target as Readonly<Record<string, string>>))
      expect(globSync(path, { cwd: consumer.installed }), path).not.toEqual([]);
  }
  const map = JSON.parse(
    readFileSync(join(consumer.installed, "lib/pkg/client/connect.d.ts.map"), "utf8"),
  ) as { readonly sources: readonly string[] };
  const [source = ""] = map.sources;
  expect(readFileSync(join(consumer.installed, "lib/pkg/client", source), "utf8")).toContain(
    "export async function connect(",
  );
});

test("every room has a page of what it exports, with the comments of the sources", () => {
  const named = rooms().filter((room) => !room.startsWith("./api/"));
  for (const room of named)
    expect(readFileSync(join(consumer.installed, `docs/${room.slice(2)}.md`), "utf8")).toMatch(/^## \w+$/m);
  const page = readFileSync(join(consumer.installed, "docs/controller.md"), "utf8");
  expect(page).toContain("A change of an object that is controlled by one of the controller's wakes that.");
  expect(page).toContain("function controller<T extends ApiObject>(");
});

test("the repository itself cannot be published", () => {
  const manifest = JSON.parse(readFileSync("package.json", "utf8")) as Readonly<Record<string, unknown>>;
  expect(manifest["private"]).toBe(true);
  expect(consumer.manifest).not.toHaveProperty("private");
});

test.each(["nodenext", "bundler"])(
  "a strict compiler that checks all declarations refuses nothing (%s)",
  (resolution) => {
    consumer.write("rooms.ts", everyRoom(rooms()));
    consumer.write("minimal.ts", minimalProgram);
    consumer.write("cluster.ts", clusterProgram);
    consumer.write("operator.ts", operatorProgram);
    const options = {
      target: "es2024",
      lib: ["es2024"],
      module: resolution === "nodenext" ? "nodenext" : "preserve",
      moduleResolution: resolution,
      types: ["node"],
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      skipLibCheck: false,
      outDir: "out",
    };
    consumer.write(
      "tsconfig.json",
      JSON.stringify({
        compilerOptions: options,
        files: ["rooms.ts", "minimal.ts", "cluster.ts", "operator.ts"],
      }),
    );
    expect(consumer.tool("tsc", "-p", ".")).toEqual({ status: 0, stdout: "", stderr: "" });
  },
);

test("every room can be imported, alone", () => {
  for (const room of rooms()) {
    const name = `kube-controller-manager${room.slice(1)}`;
    const program = `await import(${JSON.stringify(name)})`;
    expect(consumer.node("--input-type=module", "-e", program), name).toMatchObject({
      status: 0,
      stderr: "",
    });
  }
});

test("a cluster runs in a project that has nothing but the package", () => {
  const { stdout, stderr, status } = consumer.node("out/cluster.js");
  expect(stderr).toBe("");
  expect(status).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ phase: "Running" });
});

test("an operator of one's own is tested with what the package has", () => {
  expect(consumer.node("out/operator.js")).toEqual({ status: 0, stdout: "2\n", stderr: "" });
});

test.each(["kcm", "kube-controller-manager"])("the program %s runs", (program) => {
  const { stdout, status } = consumer.node(
    join(consumer.installed, consumer.manifest.bin[program] ?? ""),
    "--version",
  );
  expect(status).toBe(0);
  expect(stdout).toMatch(/v1\.36\.\d/);
});

/** Bytes of all that a program needs but Node.js, made as small as it gets. */
async function bundledSize(input: string): Promise<number> {
  const bundle = await rolldown({ input: join(consumer.directory, input), platform: "node" });
  const { output } = await bundle.generate({ format: "esm", minify: true });
  return output.reduce((sum, part) => sum + (part.type === "chunk" ? Buffer.byteLength(part.code) : 0), 0);
}

test("a program takes from the package what it uses", async () => {
  consumer.write(
    "meta.js",
    'import { formatTime } from "kube-controller-manager/api"; console.log(formatTime(0));',
  );
  consumer.write(
    "queue.js",
    'import { createWorkQueue } from "kube-controller-manager/workqueue"; console.log(createWorkQueue);',
  );
  expect(await bundledSize("meta.js")).toBeLessThan(4_000);
  expect(await bundledSize("queue.js")).toBeLessThan(25_000);
  expect(await bundledSize("out/minimal.js")).toBeLessThan(1_000_000);
});

test("a program that only asks starts at once and stays small", () => {
  consumer.write(
    "weigh.js",
    `const startMs = performance.now();
     const before = process.memoryUsage.rss();
     await import("kube-controller-manager/client");
     console.log(JSON.stringify({ ms: performance.now() - startMs, bytes: process.memoryUsage.rss() - before }));`,
  );
  const { ms, bytes } = JSON.parse(consumer.node("weigh.js").stdout) as {
    readonly ms: number;
    readonly bytes: number;
  };
  // About 100 ms and 25 MB; loading @kubernetes/client-node takes 240 ms and 83 MB.
  expect(bytes).toBeLessThan(60e6);
  expect(ms).toBeLessThan(5_000);
});

describe("a project that was made by kcm new", () => {
  let project: NewProject;
  const example = (): string => join(project.directory, "config/example.yaml");
  beforeAll(() => {
    project = NewProject.create(consumer);
  });

  test("is small, has types, and its tests are green", () => {
    expect(project.lines).toBeLessThan(300);
    expect(project.run("check")).toEqual({ status: 0, stdout: "", stderr: "" });
    const { status, stdout } = project.run("test");
    expect(stripVTControlCharacters(stdout)).toMatch(/Tests\s+2 passed/);
    expect(status).toBe(0);
  });

  test("runs in a cluster of its own with one command", async () => {
    const running = project.start("src/dev.ts", { HOME: consumer.directory, KCM_HOME: "" });
    const kubeconfig = join(consumer.directory, ".kcm/web-site/kubeconfig");
    await until("the cluster is there", () => running.said.includes("ready after"));
    const { status } = await running.becomes(kubeconfig, example(), "AllReady");
    expect(status?.readyReplicas).toBe(2);
    // The package comes without the example that the repository has.
    expect(running.said).toContain("kubectl create deployment web");
    expect(await running.end()).toBe(0);
  });

  test("ends in order at Ctrl-C, wherever its cluster is kept", async () => {
    const home = join(consumer.directory, "kept");
    const running = project.start("src/dev.ts", { KCM_HOME: home });
    await until("the operator works", () => running.said.includes("Controller starting"));
    expect(existsSync(join(home, "web-site/kubeconfig"))).toBe(true);
    expect([await running.interrupt(), running.said.match(/"Stopping"/g)]).toEqual([0, ['"Stopping"']]);
    expect(running.said).toMatch(/"Controller ended"[\s\S]*ended/);
  });

  test("fails where its operator does", async () => {
    writeFileSync(join(project.directory, "src/failing.ts"), 'throw new Error("it fails");\n');
    const dev = readFileSync(join(project.directory, "src/dev.ts"), "utf8");
    writeFileSync(
      join(project.directory, "src/failing-dev.ts"),
      dev.replace("src/main.ts", "src/failing.ts"),
    );
    const running = project.start("src/failing-dev.ts", { KCM_HOME: join(consumer.directory, "failing") });
    expect([await running.ended(), running.said]).toEqual([1, expect.stringContaining("it fails")]);
  });

  testWhere(hasRealCluster())("runs against a real API server", async () => {
    const real = await startRealCluster();
    try {
      const running = project.start("src/main.ts", { KUBECONFIG: real.kubeconfig });
      const { spec } = await running.becomes(real.kubeconfig, example(), "PodsMissing");
      expect(spec?.template.spec?.containers[0]?.image).toBe("nginx:1.29");
      expect(await running.end()).toBe(0);
    } finally {
      await real.stop();
    }
  });
});

test("the operator of the guide to production is given the permissions that it needs", () => {
  const guide = new Guide(consumer, "pkg/manager/README.md", "permissions");
  const kcm = join(consumer.installed, consumer.manifest.bin["kcm"] ?? "");
  const { status, stdout, stderr } = consumer.node(kcm, "manifests", join(guide.directory, "operator.ts"));
  expect([status, stderr]).toEqual([0, ""]);
  const role = (loadAll(stdout) as readonly ClusterRole[]).find(({ kind }) => kind === "ClusterRole");
  const rule = role?.rules?.find(({ resources = [] }) => resources.includes("secrets"));
  expect(rule?.verbs).toEqual(expect.arrayContaining(["create", "patch"]));
});

const ANY_TEXT: unknown = expect.any(String);

describe.each(guides)("the code of %s", (path) => {
  let guide: Guide;
  beforeAll(() => {
    for (const name of ["typescript", "vitest", "@kubernetes/client-node"]) consumer.link(name);
    guide = new Guide(consumer, path);
  });

  test("has no mistakes that a strict compiler finds", () => {
    for (const config of [undefined, ...(guide.config === undefined ? [] : [guide.config])])
      expect(guide.compile(config)).toEqual({ status: 0, stdout: "", stderr: "" });
  });

  test("does what it says", async () => {
    if (guide.hasTests) expect(guide.test()).toEqual({ status: 0, stdout: ANY_TEXT, stderr: ANY_TEXT });
    if (guide.programs.length === 0) return;
    const { kubeconfig, stop } = await startServer();
    try {
      for (const file of guide.programs)
        expect(await guide.run(file, kubeconfig)).toEqual({ code: 0, said: ANY_TEXT });
    } finally {
      await stop();
    }
  });
});

/** The API server that the package brings. */
async function startServer(): Promise<{ readonly kubeconfig: string; readonly stop: () => Promise<void> }> {
  const home = mkdtempSync(join(consumer.directory, "kcm-"));
  const program = join(consumer.installed, consumer.manifest.bin["kcm"] ?? "");
  const args = [program, "up", "--apiserver-only", "--port=0"];
  const env = { ...process.env, KCM_HOME: home };
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "inherit"] });
  let said = "";
  child.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()));
  await until("the cluster is there", () => said.includes("ready after"));
  const stop = async (): Promise<void> => {
    child.kill("SIGTERM");
    await once(child, "close");
  };
  return { kubeconfig: join(home, "default/kubeconfig"), stop };
}
