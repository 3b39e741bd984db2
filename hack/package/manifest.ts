/** A package.json, as far as it is read here. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly exports: Readonly<Record<string, string>>;
  readonly bin: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional: boolean }>>;
  readonly publishConfig: Readonly<Record<string, unknown>>;
  readonly keywords: readonly string[];
}

/** What the rooms run on, which is less than what the repository is worked on with. */
export const ENGINES = ">=22.19.0";

/** These are reached into by paths that no version promises: what was tested is what users get. */
const PINNED = new Set(["undici"]);

/** Patches a prototype, and so must be kept though nothing of it is imported. */
const SIDE_EFFECTS = ["./lib/pkg/api/int64.js"];

/**
 * The package.json that is published. It is made from the repository's, which stays private, so that nobody publishes
 * sources and tests by a slip: rooms point to what was built, and dependencies are those that the rooms import.
 */
export function publishedManifest(
  repository: Manifest,
  imported: Iterable<string>,
  url?: string,
): Readonly<Record<string, unknown>> {
  const { name, version, description, license, keywords, publishConfig } = repository;
  const { peerDependencies, peerDependenciesMeta } = repository;
  return {
    name,
    version,
    description,
    license,
    keywords,
    ...(url === undefined ? {} : { repository: { type: "git", url } }),
    type: "module",
    engines: { node: ENGINES },
    exports: Object.fromEntries(
      Object.entries(repository.exports).map(([room, source]) => [room, builtRoom(source)]),
    ),
    bin: Object.fromEntries(Object.keys(repository.bin).map((program) => [program, `./bin/${program}.mjs`])),
    files: ["lib", "src", "bin", "docs", "CHANGELOG.md"],
    sideEffects: SIDE_EFFECTS,
    dependencies: rangesOf(repository, imported),
    peerDependencies,
    peerDependenciesMeta,
    publishConfig,
  };
}

function builtRoom(source: string): string | Readonly<Record<string, string>> {
  if (!source.endsWith(".ts")) return source;
  const built = source.replace(/^\.\//, "./lib/").replace(/\.ts$/, "");
  return { types: `${built}.d.ts`, default: `${built}.js` };
}

function rangesOf(
  { dependencies, peerDependencies }: Manifest,
  imported: Iterable<string>,
): Readonly<Record<string, string>> {
  const names = [...imported].filter((name) => !(name in peerDependencies)).sort();
  return Object.fromEntries(
    names.map((name) => {
      const version = dependencies[name];
      if (version === undefined) throw new Error(`the rooms import ${name}, which is no dependency`);
      return [name, PINNED.has(name) ? version : `^${version}`];
    }),
  );
}

/** The packages that a module of JavaScript or a declaration file imports; Node.js's own left out. */
export function importedPackages(text: string): readonly string[] {
  const specifiers = text.matchAll(
    /^(?:import|export)\b[^"'`;]*\bfrom "([^"]+)"|^import "([^"]+)"|\bimport\("([^"]+)"\)/gm,
  );
  return [...specifiers].flatMap(([, from, bare, called]) => {
    const specifier = from ?? bare ?? called ?? "";
    if (specifier.startsWith(".") || specifier.startsWith("node:") || specifier.startsWith("#")) return [];
    const parts = specifier.split("/");
    return [specifier.startsWith("@") ? parts.slice(0, 2).join("/") : (parts[0] ?? "")];
  });
}
