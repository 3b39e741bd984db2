import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A package, parts of which are in a bundle. */
export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  readonly license: string;
}

interface Unpacked extends BundledPackage {
  readonly folder: string;
}

/** Of the packages that these files are of. */
export function bundledPackages(sources: readonly string[]): readonly Unpacked[] {
  const folders = new Set(sources.flatMap((source) => packageFolder(source) ?? []));
  return [...folders].sort().map((folder) => {
    const manifest = readFileSync(join(folder, "package.json"), "utf8");
    const { name = "", version = "", license = "" } = JSON.parse(manifest) as Partial<BundledPackage>;
    return { name, version, license, folder };
  });
}

/** Whoever hands out a bundle hands out the licences of what is in it, too. */
export function noticesOf(packages: readonly Unpacked[]): string {
  return packages.map(noticeOf).join(`\n${"-".repeat(80)}\n\n`);
}

/** The innermost package of a path below node_modules. */
function packageFolder(path: string): string | undefined {
  return /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0];
}

function noticeOf({ name, version, license, folder }: Unpacked): string {
  const files = globSync("{LICEN[CS]E,licen[cs]e,NOTICE}*", { cwd: folder }).sort();
  const texts = files.map((file) => readFileSync(join(folder, file), "utf8"));
  return [`${name} ${version} (${license})`, ...texts].join("\n\n");
}
