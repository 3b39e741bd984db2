import { podLimits, podRequests } from "../../../api/quota/pod-requests.ts";
import type { PodSpec } from "../../../api/types/core-v1.gen.ts";
import { child, items, type Json, present, text } from "../../../api/json.ts";
import type { FieldErrors } from "../field-errors.ts";
import { quantities } from "../quantities.ts";
import type { PodSpecView } from "./pod-spec-view.ts";
import { isHugePages, validateRequirements, validateResourceName } from "./requirements.ts";

/** What a pod has as a whole: enough for what its containers ask for. */
export function validatePodResources(view: PodSpecView, path: string, errors: FieldErrors): void {
  const { spec } = view;
  const resources = child(spec, "resources");
  if (resources === undefined) return;
  if (text(child(spec, "os"), "name") === "windows") {
    errors.forbidden(path, "may not be set for a windows pod");
    return;
  }
  if (present(resources, "claims"))
    errors.forbidden(`${path}.claims`, "claims may not be set for Resources at pod-level");
  validateRequirements(resources, { ...view, validateName }, path, errors);
  validateSums(spec, resources, path, errors);
}

function validateName(name: string, path: string, errors: FieldErrors): void {
  const found = errors.list.length;
  validateResourceName(name, path, errors);
  if (errors.list.length > found || name === "cpu" || name === "memory" || isHugePages(name)) return;
  errors.notSupported(path, name, ["cpu", "hugepages-", "memory"]);
}

function validateSums(spec: Json, resources: Json, path: string, errors: FieldErrors): void {
  const [requests, limits] = [quantities(resources, "requests"), quantities(resources, "limits")];
  const asked: Pick<PodSpec, "containers" | "initContainers"> = {
    containers: items(spec, "containers") as unknown as PodSpec["containers"],
    initContainers: items(spec, "initContainers") as unknown as PodSpec["containers"],
  };
  const atLeast = (key: "requests" | "limits", name: string, own: string, sum: string): void =>
    errors.invalid(
      `${path}.${key}[${name}]`,
      own,
      `must be greater than or equal to aggregate container ${key} of ${sum}`,
    );
  for (const [name, sum] of podRequests(asked)) {
    const own = requests.get(name);
    if (own !== undefined && sum.compare(own) > 0) atLeast("requests", name, own.toString(), sum.toString());
  }
  for (const [name, sum] of podLimits(asked)) {
    const own = isHugePages(name) ? limits.get(name) : undefined;
    if (own !== undefined && sum.compare(own) > 0) atLeast("limits", name, own.toString(), sum.toString());
  }
  for (const [index, container] of items(spec, "containers").entries()) {
    for (const [name, limit] of quantities(child(container, "resources"), "limits")) {
      const own = limits.get(name);
      if (own === undefined || limit.compare(own) <= 0) continue;
      errors.invalid(
        `${path}.containers[${index}][${name}].limits`,
        limit.toString(),
        `must be less than or equal to pod limits of ${own.toString()}`,
      );
    }
  }
}
