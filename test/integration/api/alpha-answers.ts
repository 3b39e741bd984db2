import type { Body } from "./api-client.ts";

/** Kinds of features that are off by default, where they are on: what is said of objects, the same on both servers. */
export const FLAGS = [
  "--runtime-config=resource.k8s.io/v1alpha3=true",
  "--runtime-config=scheduling.k8s.io/v1alpha2=true",
  "--feature-gates=DRAResourcePoolStatus=true,GenericWorkload=true,DRAWorkloadResourceClaims=true",
];
export const TABLE = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" };
export const subdomain = "a lowercase RFC 1123 subdomain";
export const label = "a lowercase RFC 1123 label";
export const IMMUTABLE = "Invalid value: null: field is immutable";

/** "field: message", in the order of the fields; long patterns are cut. */
export function causesOf({ details, message }: Body): readonly string[] {
  const causes = details?.["causes"] as readonly { field: string; message: string }[] | undefined;
  if (causes === undefined) return [message];
  return causes
    .map(({ field, message: why }) => `${field}: ${why.replace(/(an? (lowercase )?RFC 1123 \w+).*/, "$1")}`)
    .toSorted();
}

export const rowsOf = ({ rows }: Body): unknown =>
  (rows as readonly { cells: unknown }[]).map(({ cells }) => cells);
export const columnsOf = ({ columnDefinitions }: Body): unknown =>
  (columnDefinitions as readonly { name: string; type: string; format: string }[]).map(
    ({ name, type, format }) => `${name} ${type} ${format}`,
  );
