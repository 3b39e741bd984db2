import type { Chance } from "./chance.ts";
import { TOKEN } from "../case.ts";

type Weighted = readonly (readonly [number, string])[];

const dryRun: Weighted = [
  [8, "All"],
  [1, ""],
  [1, "all"],
  [1, "None"],
];
const fieldValidation: Weighted = [
  [6, "Strict"],
  [4, "Warn"],
  [2, "Ignore"],
  [1, "strict"],
  [1, ""],
];
const fieldManager: Weighted = [
  [8, "manager-b"],
  [1, "a%20b"],
  [1, "%C3%A4"],
  [1, "%07"],
  [1, "a".repeat(128)],
  [1, "a".repeat(129)],
  [1, ""],
];

/** Options of a write, most often none; as the part of a path from the question mark on. */
export function writeOptions(chance: Chance, always: readonly string[] = []): string {
  const parts = [...always];
  if (chance.percent(6)) parts.push(`dryRun=${chance.weighted(dryRun)}`);
  if (chance.percent(30)) parts.push(`fieldValidation=${chance.weighted(fieldValidation)}`);
  if (chance.percent(15)) parts.push(`fieldManager=${chance.weighted(fieldManager)}`);
  if (chance.percent(2))
    parts.push(chance.one(["pretty=true", "unknown=1", "timeout=5s", "timeout=x", "force=true"]));
  return query(parts);
}

const labelSelectors: readonly string[] = [
  "fuzz",
  "!fuzz",
  `fuzz=${TOKEN}`,
  `fuzz==${TOKEN}`,
  `fuzz!=${TOKEN}`,
  `fuzz in (${TOKEN},b)`,
  `fuzz notin (${TOKEN})`,
  "a=b,c",
  "a in ()",
  "a in (b",
  "a>1",
  "a<x",
  "=",
  "a=b=c",
  "a b",
  "example.com/a=b",
  "a/b/c=d",
  ",",
  "a=",
  "a=-b",
  `${"a".repeat(64)}=b`,
];
const fieldSelectors: readonly string[] = [
  `metadata.name=${TOKEN}`,
  `metadata.name!=${TOKEN}`,
  `metadata.name==${TOKEN}`,
  "metadata.namespace={{ns}}",
  "metadata.namespace=x",
  "status.phase=Running",
  "status.phase!=Running",
  "spec.nodeName=",
  "type=Opaque",
  "involvedObject.name=p",
  "spec.unschedulable=true",
  "metadata.labels.a=b",
  "x=y",
  "x",
  "=",
  "a=b,",
  "metadata.name=a\\,b",
];
const versions: readonly string[] = [
  "0",
  "1",
  "{{rv}}",
  "",
  "x",
  "-1",
  "99999999999",
  "1.5",
  "18446744073709551616",
];

/** Options of a list, or of a deletecollection. */
export function listOptions(chance: Chance, always: readonly string[] = []): string {
  const parts = [...always];
  if (chance.percent(40)) parts.push(`labelSelector=${encode(chance.one(labelSelectors))}`);
  if (chance.percent(30)) parts.push(`fieldSelector=${encode(chance.one(fieldSelectors))}`);
  if (chance.percent(20)) parts.push(`resourceVersion=${chance.one(versions)}`);
  if (chance.percent(12))
    parts.push(`resourceVersionMatch=${chance.one(["NotOlderThan", "Exact", "", "x", "notolderthan"])}`);
  if (chance.percent(8)) parts.push(`limit=${chance.one(["500", "0", "-1", "x", "9223372036854775808"])}`);
  if (chance.percent(4))
    parts.push(`continue=${chance.one(["x", "e30", "eyJ2IjoibWV0YS5rOHMuaW8vdjEifQ", ""])}`);
  if (chance.percent(4))
    parts.push(
      chance.one([
        "timeoutSeconds=5",
        "timeoutSeconds=x",
        "pretty=1",
        "watch=false",
        "watch=x",
        "sendInitialEvents=true",
        "shardSelector=x",
      ]),
    );
  return query(parts);
}

export const acceptTypes: readonly string[] = [
  "application/json;as=Table;v=v1;g=meta.k8s.io",
  "application/json;as=Table;v=v1;g=meta.k8s.io",
  "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
  "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
  "application/json;as=Table;v=v1beta1;g=meta.k8s.io",
  "application/json;as=Table;v=v2;g=meta.k8s.io",
  "application/json;as=Table;v=v1;g=meta.k8s.io,application/json",
  "application/yaml",
  "application/yaml;as=Table;v=v1;g=meta.k8s.io",
  "text/html",
  "text/html, */*",
  "*/*",
  "application/*",
  "application/json;q=0.5, application/yaml;q=0.1",
  "",
];

/** Deletion, as a body or as a query. */
export function deleteBody(chance: Chance): unknown {
  if (chance.percent(35)) return undefined;
  const body: Record<string, unknown> = chance.percent(70) ? { apiVersion: "v1", kind: "DeleteOptions" } : {};
  if (chance.percent(30)) body["gracePeriodSeconds"] = chance.one<unknown>([0, 0, 1, 30, -1, "0", null, 1.5]);
  if (chance.percent(25))
    body["propagationPolicy"] = chance.one<unknown>(["Background", "Foreground", "Orphan", "", "x", 1, null]);
  if (chance.percent(5)) body["orphanDependents"] = chance.one<unknown>([true, false, null, "x"]);
  if (chance.percent(20))
    body["preconditions"] = chance.one<unknown>([
      { uid: "{{uid}}" },
      { uid: "x" },
      { resourceVersion: "{{rv}}" },
      { resourceVersion: "1" },
      { uid: "", resourceVersion: "" },
      {},
      null,
      "x",
    ]);
  if (chance.percent(10))
    body["dryRun"] = chance.one<unknown>([["All"], [], ["x"], "All", ["All", "All"], null]);
  if (chance.percent(4)) body[chance.one(["unknown", "kind", "apiVersion"])] = chance.one(["x", "v2", "Pod"]);
  return body;
}

export function deleteOptions(chance: Chance): string {
  const parts: string[] = [];
  if (chance.percent(10)) parts.push(`gracePeriodSeconds=${chance.one(["0", "30", "-1", "x", ""])}`);
  if (chance.percent(10))
    parts.push(`propagationPolicy=${chance.one(["Background", "Foreground", "Orphan", "x", ""])}`);
  if (chance.percent(4)) parts.push(`orphanDependents=${chance.one(["true", "false", "x"])}`);
  if (chance.percent(6)) parts.push(`dryRun=${chance.one(["All", "x"])}`);
  return query(parts);
}

function query(parts: readonly string[]): string {
  return parts.length === 0 ? "" : `?${parts.join("&")}`;
}

/** The token and marks stay readable, so that they are replaced. */
function encode(value: string): string {
  return encodeURIComponent(value).replaceAll("%7B%7B", "{{").replaceAll("%7D%7D", "}}");
}
