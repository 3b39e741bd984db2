import type { BundledPackage } from "./notices.ts";

/** A bill of materials in CycloneDX, as far as it is read here. */
export interface Sbom {
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly components: readonly Component[];
  readonly [part: string]: unknown;
}

interface Component {
  readonly name: string;
  readonly purl?: string;
  readonly [part: string]: unknown;
}

/**
 * The bill of the package, from that of a project which has nothing but it: what npm installs beside it, and what has been
 * bundled into its programs, which npm does not know of.
 */
export function sbomOfPackage(project: Sbom, name: string, bundled: readonly BundledPackage[]): Sbom {
  const component = project.components.find((each) => each.name === name);
  if (component === undefined) throw new Error(`the project does not have ${name}`);
  const known = new Set(project.components.map(({ purl }) => purl));
  const added = bundled.map(componentOf).filter(({ purl }) => !known.has(purl));
  const others = project.components.filter((each) => each !== component);
  return {
    ...project,
    metadata: { ...project.metadata, component },
    components: [...others, ...added],
  };
}

function componentOf({ name, version, license }: BundledPackage): Component & { readonly purl: string } {
  const [last = "", scope] = name.split("/").toReversed();
  const path = scope === undefined ? last : `${encodeURIComponent(scope)}/${last}`;
  const purl = `pkg:npm/${path}@${version}`;
  return {
    "bom-ref": `${name}@${version} (bundled)`,
    type: "library",
    name,
    version,
    purl,
    licenses: [{ license: { name: license } }],
  };
}
