import { child, type Json, text } from "../../../api/json.ts";

/**
 * The metrics of an autoscaler in the flat form of its v1 annotations, and in that of v2, which groups what says which
 * metric it is and what its target is.
 */
interface Form {
  readonly member: string;
  /** v1 name → path in v2. */
  readonly fields: Readonly<Record<string, readonly string[]>>;
}

const specForms: Readonly<Record<string, Form>> = {
  Resource: {
    member: "resource",
    fields: {
      name: ["name"],
      targetAverageUtilization: ["target", "averageUtilization"],
      targetAverageValue: ["target", "averageValue"],
    },
  },
  ContainerResource: {
    member: "containerResource",
    fields: {
      name: ["name"],
      container: ["container"],
      targetAverageUtilization: ["target", "averageUtilization"],
      targetAverageValue: ["target", "averageValue"],
    },
  },
  Pods: {
    member: "pods",
    fields: {
      metricName: ["metric", "name"],
      selector: ["metric", "selector"],
      targetAverageValue: ["target", "averageValue"],
    },
  },
  Object: {
    member: "object",
    fields: {
      target: ["describedObject"],
      metricName: ["metric", "name"],
      selector: ["metric", "selector"],
      targetValue: ["target", "value"],
      averageValue: ["target", "averageValue"],
    },
  },
  External: {
    member: "external",
    fields: {
      metricName: ["metric", "name"],
      metricSelector: ["metric", "selector"],
      targetValue: ["target", "value"],
      targetAverageValue: ["target", "averageValue"],
    },
  },
};

export function metricSpecToV1(metric: Json): Json {
  return flattened(metric, (path) => path);
}

export function metricStatusToV1(metric: Json): Json {
  const made = flattened(metric, ([first = "", ...rest]) => [
    first === "target" ? "current" : first,
    ...rest,
  ]);
  // An average value is always there in v1.
  for (const member of ["resource", "containerResource"]) {
    const flat = child(made, member);
    if (flat !== undefined) flat["currentAverageValue"] ??= "0";
  }
  return made;
}

function flattened(metric: Json, place: (path: readonly string[]) => readonly string[]): Json {
  const form = specForms[text(metric, "type")];
  const source = form === undefined ? undefined : child(metric, form.member);
  if (form === undefined || source === undefined) return metric;
  const flat: Json = {};
  for (const [name, path] of Object.entries(form.fields)) {
    const isStatus = place(path)[0] === "current";
    const value = at(source, place(path));
    if (value !== undefined) flat[isStatus ? name.replace(/^target(?=.)/, "current") : name] = value;
  }
  return { type: metric["type"], [form.member]: flat };
}

export function metricSpecFromV1(metric: Json): Json {
  return grouped(metric, (spec, name) => spec[name], "target");
}

export function metricStatusFromV1(metric: Json): Json {
  return grouped(metric, (status, name) => status[name.replace(/^target(?=.)/, "current")], "current");
}

function grouped(
  metric: Json,
  valueOf: (flat: Json, name: string) => unknown,
  place: "target" | "current",
): Json {
  const form = specForms[text(metric, "type")];
  const flat = form === undefined ? undefined : child(metric, form.member);
  if (form === undefined || flat === undefined) return metric;
  const made: Json = {};
  for (const [name, [first = "", ...rest]] of Object.entries(form.fields)) {
    const isAmount = first === "target" && rest.length > 0;
    const value = isAmount ? valueOf(flat, name) : flat[name];
    if (value !== undefined) put(made, [isAmount ? place : first, ...rest], value);
  }
  const target = child(made, "target");
  if (place === "target" && target !== undefined) target["type"] = targetType(target);
  return { type: metric["type"], [form.member]: made };
}

function targetType(target: Json): string {
  if (target["averageUtilization"] !== undefined) return "Utilization";
  return target["averageValue"] === undefined ? "Value" : "AverageValue";
}

function at(object: Json, path: readonly string[]): unknown {
  const [first = "", ...rest] = path;
  if (rest.length === 0) return object[first];
  const below = child(object, first);
  return below === undefined ? undefined : at(below, rest);
}

function put(object: Json, path: readonly string[], value: unknown): void {
  const [first = "", ...rest] = path;
  if (rest.length === 0) object[first] = value;
  else {
    const below = child(object, first) ?? {};
    object[first] = below;
    put(below, rest, value);
  }
}
