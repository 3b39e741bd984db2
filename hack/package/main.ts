// Makes the npm package in dist/package, and its tarball beside it: the rooms as JavaScript, one file for each source, so
// that rooms share modules; declarations; sources for both of their maps; and the programs, a file each.
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { changelog } from "../changelog.ts";
import { apiReference } from "./api-reference.ts";
import { importedPackages, type Manifest, publishedManifest } from "./manifest.ts";
import { bundledPackages, noticesOf } from "./notices.ts";

const root = resolve(import.meta.dirname, "../..");
const target = join(root, "dist/package");

function run(command: string, ...args: readonly string[]): void {
  const { status, stdout, error } = spawnSync(command, args, { cwd: root, encoding: "utf8" });
  if (status === 0) return;
  throw new Error(`${command} ${args.join(" ")} has failed:\n${stdout}`, { cause: error });
}

const tool = (name: string): string => join(root, "node_modules/.bin", name);

function readManifest(): Manifest {
  return JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Manifest;
}

/** The rooms, and what they import. */
function compile(): void {
  const rooms = Object.values(repository.exports).filter((path) => path.endsWith(".ts"));
  const config = join(root, "dist/package.tsconfig.json");
  const include = [...rooms, "pkg/client/http/undici-client.d.ts"].map((path) => join(root, path));
  mkdirSync(dirname(config), { recursive: true });
  writeFileSync(config, JSON.stringify({ extends: "../hack/package/tsconfig.json", include }));
  run(tool("tsc"), "-p", config);
}

interface SourceMap {
  readonly sources: readonly string[];
}

const readMap = (path: string): SourceMap => JSON.parse(readFileSync(path, "utf8")) as SourceMap;

/** Puts the sources that were compiled beside what was made of them, and has the maps say so. */
function shipSources(): void {
  for (const path of globSync("lib/**/*.map", { cwd: target })) {
    const map = join(target, path);
    const sources = readMap(map).sources.map((source) => {
      const original = resolve(dirname(map), source);
      const shipped = join(target, "src", relative(root, original));
      mkdirSync(dirname(shipped), { recursive: true });
      cpSync(original, shipped);
      return relative(dirname(map), shipped);
    });
    writeFileSync(map, JSON.stringify({ ...readMap(map), sources }));
  }
}

/** The compiler writes JavaScript that imports .js, and declarations that go on importing .ts. */
function nameBuiltModules(): void {
  for (const path of globSync("lib/**/*.d.ts", { cwd: target })) {
    const file = join(target, path);
    const text = readFileSync(file, "utf8");
    writeFileSync(file, text.replaceAll(/(\bfrom |\bimport\(|\bimport )"(\.[^"]*)\.ts"/g, '$1"$2.js"'));
  }
}

function shipPrograms(programs: readonly string[]): void {
  mkdirSync(join(target, "bin"));
  const maps = programs.map((name) => join(root, `dist/${name}.mjs.map`));
  for (const name of programs) cpSync(join(root, `dist/${name}.mjs`), join(target, `bin/${name}.mjs`));
  const sources = maps.flatMap((path) =>
    readMap(path).sources.map((source) => resolve(dirname(path), source)),
  );
  const packages = bundledPackages(sources);
  writeFileSync(join(target, "bin/THIRD-PARTY-LICENSES.txt"), noticesOf(packages));
  writeFileSync(join(root, "dist/bundled.json"), JSON.stringify(packages));
}

/** A page for each room, the types of the groups of Kubernetes left out. */
function writeReference({ name, exports: rooms }: Manifest): void {
  mkdirSync(join(target, "docs"));
  for (const [room, source] of Object.entries(rooms)) {
    if (!source.endsWith("index.ts")) continue;
    const index = join(target, "lib", source.replace(/\.ts$/, ".d.ts"));
    writeFileSync(join(target, `docs/${room.slice(2)}.md`), apiReference(name + room.slice(1), index));
  }
}

function importedByRooms(): ReadonlySet<string> {
  const files = globSync("lib/**/*.{js,d.ts}", { cwd: target });
  return new Set(files.flatMap((path) => importedPackages(readFileSync(join(target, path), "utf8"))));
}

/** Where the project lives, as far as the machine knows that makes the package. */
function repositoryUrl(): string | undefined {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository } = process.env;
  return server && repository ? `git+${server}/${repository}.git` : undefined;
}

const repository = readManifest();
rmSync(target, { recursive: true, force: true });
compile();
shipSources();
nameBuiltModules();
run(tool("rolldown"), "-c", "hack/rolldown.config.ts");
shipPrograms(Object.keys(repository.bin));
const manifest = publishedManifest(repository, importedByRooms(), repositoryUrl());
writeFileSync(join(target, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
writeReference(repository);
cpSync(join(root, "LICENSE"), join(target, "LICENSE"));
cpSync(join(root, "hack/package/README.md"), join(target, "README.md"));
if (existsSync(join(root, ".git"))) writeFileSync(join(target, "CHANGELOG.md"), changelog(root));
for (const old of globSync("dist/*.tgz", { cwd: root })) rmSync(join(root, old));
run("npm", "pack", target, "--pack-destination", join(root, "dist"), "--loglevel=error");
