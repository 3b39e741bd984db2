import { child, items, type Json, optionalText, present, text } from "../../../api/json.ts";

/** A file that a volume makes, and of what. */
interface File {
  readonly path: string;
  readonly source: string;
}

/** Files of one volume of which one overwrites another, or would lie within it. */
export function overlapWarnings(volumes: readonly Json[]): readonly string[] {
  return volumes.flatMap((volume) => {
    const name = JSON.stringify(text(volume, "name"));
    const told = (what: string, files: readonly File[]): readonly string[] =>
      overlaps(files).map((overlap) => `volume ${name} (${what}): overlapping paths: ${overlap}`);
    const [map, secret] = [child(volume, "configMap"), child(volume, "secret")];
    return [
      ...told(`ConfigMap ${JSON.stringify(text(map, "name"))}`, filesOf(map, "")),
      ...told(`Secret ${JSON.stringify(text(secret, "secretName"))}`, filesOf(secret, "")),
      ...told("DownwardAPI", filesOf(child(volume, "downwardAPI"), "")),
      ...items(child(volume, "projected"), "sources").flatMap((source) =>
        Object.keys(source).length === 0 ? [`volume ${name} (Projected) has no sources provided`] : [],
      ),
      ...told("Projected", items(child(volume, "projected"), "sources").flatMap(projected)),
    ];
  });
}

function filesOf(source: Json | undefined, what: string): readonly File[] {
  return items(source, "items").map((item) => ({ path: text(item, "path"), source: what }));
}

function projected(source: Json): readonly File[] {
  const named = (what: string, name: string): string => `${what} ${JSON.stringify(name)}`;
  const [map, secret] = [child(source, "configMap"), child(source, "secret")];
  if (present(map, "items")) return filesOf(map, named("ConfigMap", text(map, "name")));
  if (present(secret, "items")) return filesOf(secret, named("Secret", text(secret, "name")));
  const downward = child(source, "downwardAPI");
  if (present(downward, "items")) return filesOf(downward, "DownwardAPI");
  const token = child(source, "serviceAccountToken");
  if (token !== undefined) return [{ path: text(token, "path"), source: "ServiceAccountToken" }];
  const bundle = child(source, "clusterTrustBundle");
  if (bundle !== undefined) {
    const name = optionalText(bundle, "name") ?? text(bundle, "signerName");
    return [{ path: text(bundle, "path"), source: named("ClusterTrustBundle", name) }];
  }
  const certificate = child(source, "podCertificate");
  return [
    { path: text(certificate, "certificateChainPath"), source: "PodCertificate chain" },
    { path: text(certificate, "keyPath"), source: "PodCertificate key" },
    { path: text(certificate, "credentialBundlePath"), source: "PodCertificate credential bundle" },
  ].filter(({ path }) => path !== "");
}

/** Each with those before it. */
function overlaps(files: readonly File[]): readonly string[] {
  const found: string[] = [];
  const seen: File[] = [];
  for (const { path: given, source } of files) {
    const file = { path: given.replace(/\/+$/, ""), source };
    if (file.path !== "")
      for (const other of seen.slice(0, MOST_COMPARED))
        if (other.path !== "" && meet(file.path, other.path))
          found.push(`${shown(file)} with ${shown(other)}`);
    seen.push(file);
    if (found.length >= MOST_TOLD) break;
  }
  return found;
}

const meet = (one: string, other: string): boolean =>
  `${one}/`.startsWith(`${other}/`) || `${other}/`.startsWith(`${one}/`);

/** Nobody reads more, and all pairs of thousands would take their time. */
const MOST_COMPARED = 500;
const MOST_TOLD = 100;

function shown({ path, source }: File): string {
  return source === "" ? JSON.stringify(path) : `${JSON.stringify(path)} (${source})`;
}
