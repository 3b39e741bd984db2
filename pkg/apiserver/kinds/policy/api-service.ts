import { child, flag, int64, items, text } from "../../../api/json.ts";
import { dns1035LabelProblems, dnsSubdomainProblems } from "../../../api/names.ts";
import { resources } from "../../../api/resources.ts";
import { defineKind, type KindSpec, specOf } from "../define-kind.ts";
import type { FieldErrors } from "../field-errors.ts";
import { pathSegment, portNumber } from "../formats.ts";
import { ageColumn, column, nameColumn } from "../table.ts";
import type { Json } from "../../../api/json.ts";

const rules: KindSpec = {
  nameFormat: "pathSegment",
  validate(draft, errors) {
    const spec = specOf(draft);
    const name = text(draft.metadata, "name");
    const [group, version] = [text(spec, "group"), text(spec, "version")];
    if (pathSegment(name).length === 0 && name !== `${version}.${group}`)
      errors.invalid(
        "metadata.name",
        name,
        `must be \`spec.version+"."+spec.group\`: ${JSON.stringify(`${version}.${group}`)}`,
      );
    if (group !== "") errors.invalidEach("spec.group", group, dnsSubdomainProblems(group));
    else if (version !== "v1")
      errors.required("spec.group", "only v1 may have an empty group and it better be legacy kube");
    errors.invalidEach("spec.version", version, dns1035LabelProblems(version));
    requirePositive(spec, "groupPriorityMinimum", 20_000, errors);
    requirePositive(spec, "versionPriority", 1_000, errors);
    validateService(spec, errors);
  },
  columns: [
    nameColumn,
    column("Service", (object) => {
      const service = child(child(object, "spec"), "service");
      return service === undefined ? "Local" : `${text(service, "namespace")}/${text(service, "name")}`;
    }),
    column("Available", availableCell),
    ageColumn,
  ],
};

function availableCell(object: Json): string {
  const conditions = items(child(object, "status"), "conditions");
  const available = conditions.find((one) => text(one, "type") === "Available");
  if (available === undefined) return "Unknown";
  const [status, reason] = [text(available, "status"), text(available, "reason")];
  return status === "True" || reason === "" ? status : `${status} (${reason})`;
}

function requirePositive(spec: Json, key: string, most: number, errors: FieldErrors): void {
  const value = int64(spec, key) ?? 0;
  if (value <= 0 || value > most)
    errors.invalid(`spec.${key}`, value, `must be positive and less than ${most}`);
}

function validateService(spec: Json, errors: FieldErrors): void {
  const service = child(spec, "service");
  const bundle = text(spec, "caBundle");
  const insecure = flag(spec, "insecureSkipTLSVerify");
  if (service === undefined) {
    if (bundle !== "")
      errors.invalid(
        "spec.caBundle",
        `${Buffer.from(bundle, "base64").length} bytes`,
        "local APIServices may not have a caBundle",
      );
    if (insecure)
      errors.invalid(
        "spec.insecureSkipTLSVerify",
        true,
        "local APIServices may not have insecureSkipTLSVerify",
      );
    return;
  }
  for (const key of ["namespace", "name"])
    if (text(service, key) === "") errors.required(`spec.service.${key}`);
  const port = int64(service, "port") ?? 443;
  const problems = portNumber(Number(port));
  if (problems.length > 0)
    errors.invalid("spec.service.port", port, `port is not valid: ${problems.join(", ")}`);
  if (insecure && bundle !== "")
    errors.invalid("spec.insecureSkipTLSVerify", true, "may not be true if caBundle is present");
}

export const apiServiceKinds = [defineKind(resources.apiServices, rules)];
