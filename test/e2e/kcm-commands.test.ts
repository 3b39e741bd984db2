import { readdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { type CommandResult, command, withDirectory } from "./kcm-process.ts";

const program = resolve("cmd/kcm/main.ts");
const operator = resolve("test/harness/site-operator.ts");

/** `kcm` at home in the directory. */
async function kcm(directory: string, ...args: readonly string[]): Promise<CommandResult> {
  const script = `process.chdir(${JSON.stringify(directory)}); process.argv = [process.argv[0], "kcm", ...${JSON.stringify(args)}]; await import(${JSON.stringify(program)});`;
  return command(process.execPath, ["--input-type=module", "-e", script], {
    HOME: directory,
    KUBECONFIG: "",
  });
}

test("types of what manifests prints", async () => {
  await withDirectory(async (directory) => {
    const printed = await kcm(directory, "manifests", operator, "--image", "registry.example/site:1");
    expect([printed.exitCode, printed.stderr]).toEqual([0, ""]);
    expect(printed.stdout).toContain("image: registry.example/site:1");
    await writeFile(join(directory, "all.yaml"), printed.stdout);
    const types = await kcm(directory, "types", "all.yaml");
    expect([types.exitCode, types.stderr]).toEqual([0, ""]);
    expect(types.stdout).toMatch(
      /export interface Site \{[\s\S]*export const v1alpha1Sites: TypedResource<V1alpha1Site>/,
    );
  });
});

test("who gives manifests too little to see is told what permissions may be missing for", async () => {
  await withDirectory(async (directory) => {
    const printed = await kcm(directory, "manifests", resolve("test/examples/website/operator.ts"));
    expect([printed.exitCode, printed.stdout]).toEqual([0, expect.stringContaining("kind: Deployment")]);
    expect(printed.stderr).toMatch(
      /^Warning: .* reads websites.example.com, whose definition .*\nWarning: .* exports no examples, .*\n$/,
    );
  });
});

test("a new project has all that one needs, and is not written over", async () => {
  await withDirectory(async (directory) => {
    const made = await kcm(directory, "new", "web-site", "--group", "team.example");
    expect([made.exitCode, made.stderr]).toEqual([0, ""]);
    const files = await readdir(join(directory, "web-site"), { recursive: true });
    expect(files).toEqual(
      expect.arrayContaining([
        "package.json",
        "Dockerfile",
        "README.md",
        "src/controller.ts",
        "src/controller.test.ts",
      ]),
    );
    const source = await readFile(join(directory, "web-site/src/definition.ts"), "utf8");
    expect(source).toMatch(/export const WebSite = defineCrd\(\{\n {2}group: "team.example"/);
    const again = await kcm(directory, "new", "web-site");
    expect([again.exitCode, again.stderr]).toEqual([1, "Error: the directory web-site is not empty\n"]);
  });
});

test.each<readonly [what: string, args: readonly string[], says: RegExp]>([
  ["no files", ["types"], /name files, or --cluster, but not both/],
  ["files and a cluster", ["types", "x", "--cluster"], /name files, or --cluster, but not both/],
  ["a kubeconfig for files", ["types", "x", "--kubeconfig", "y"], /--kubeconfig goes with --cluster/],
  ["no cluster", ["types", "--cluster"], /name a cluster with --kubeconfig or \$KUBECONFIG/],
  [
    "a cluster that is none",
    ["types", "--cluster", "--kubeconfig", "/nowhere"],
    /kubeconfig \/nowhere cannot be read/,
  ],
  ["a missing file", ["types", "/nowhere"], /\/nowhere cannot be read: ENOENT/],
  ["a file that is no YAML", ["types", "garbage"], /garbage cannot be read/],
  ["a file without definitions", ["types", "empty"], /empty has no CustomResourceDefinition/],
  [
    "an old definition",
    ["types", "old"],
    /must be of apiextensions.k8s.io\/v1, not apiextensions.k8s.io\/v1beta1/,
  ],
  ["no module", ["manifests"], /name the module of the operator/],
  ["two modules", ["manifests", "a", "b"], /unexpected argument "b"/],
  ["a missing module", ["manifests", "nowhere.ts"], /there is no module nowhere\.ts/],
  ["a module that cannot be read", ["manifests", "garbage"], /garbage cannot be read/],
  [
    "a module of something else",
    ["manifests", "other.ts"],
    /other\.ts exports no definition, controller or webhook/,
  ],
  ["a name that is none", ["manifests", "other.ts", "--name", "A B"], /"A B" for --name/],
  ["no project", ["new"], /name the project/],
  ["a project that cannot be named so", ["new", "../x"], /must be a name of at most 40/],
  ["a project whose cluster cannot be named so", ["new", "a".repeat(41)], /must be a name of at most 40/],
  ["a group without a dot", ["new", "x", "--group", "example"], /must be a domain with at least one dot/],
  ["a kind that is none", ["new", "x", "--kind", "site"], /"site" is no kind/],
  ["a project whose name makes no kind", ["new", "1"], /"1" is no kind/],
])("%s is one line and exit code 1", async (_, args, says) => {
  await withDirectory(async (directory) => {
    await writeFile(join(directory, "package.json"), '{ "type": "module" }');
    await writeFile(join(directory, "garbage"), "{ a: [");
    await writeFile(join(directory, "empty"), "kind: Pod\n");
    await writeFile(
      join(directory, "old"),
      "apiVersion: apiextensions.k8s.io/v1beta1\nkind: CustomResourceDefinition\n",
    );
    await writeFile(join(directory, "other.ts"), "export const nothing = 1;\n");
    const { exitCode, stdout, stderr } = await kcm(directory, ...args);
    expect([exitCode, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/^Error: [^\n]+\n$/);
    expect(stderr).toMatch(says);
  });
});
