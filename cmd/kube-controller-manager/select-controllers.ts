import type { FeatureGates } from "../../pkg/api/feature-gates.ts";
import { FlagError } from "./options/flag.ts";
import { nearestNames } from "./options/nearest.ts";
import type { KnownController } from "./known-controllers.ts";

export interface SkippedController {
  readonly name: string;
  readonly reason: string;
}

export interface ControllerSelection {
  /** Canonical names, in the order of the table. */
  readonly run: readonly string[];
  /** On, but not run, and why. What the operator switched off is not listed. */
  readonly skipped: readonly SkippedController[];
}

/**
 * Which controllers `--controllers` asks for. The first item that names a controller decides; `*` stands for every
 * controller that is on by default and not named, and `-*` for all that are not named, those included that other flags
 * rule. Throws a FlagError for names that nobody knows, and for a controller that is asked for by name although it is
 * not built yet.
 */
export function selectControllers(
  items: readonly string[],
  known: readonly KnownController[],
  isBuilt: (name: string) => boolean,
  gates: FeatureGates,
): ControllerSelection {
  const canonical = canonicalItems(items, known);
  const run: string[] = [];
  const skipped: SkippedController[] = [];
  const notBuilt: string[] = [];
  for (const controller of known) {
    if (!isOn(controller, canonical)) continue;
    const closed = controller.gates?.find((gate) => !gates.enabled(gate));
    if (controller.cloudOnly === true) {
      skipped.push({ name: controller.name, reason: "runs in the cloud controller manager" });
    } else if (closed !== undefined) {
      skipped.push({ name: controller.name, reason: `feature gate ${closed} is off` });
    } else if (isBuilt(controller.name)) {
      run.push(controller.name);
    } else if (controller.ruledBy !== undefined) {
      skipped.push({ name: controller.name, reason: `--${controller.ruledBy} is not given` });
    } else if (controller.needs !== undefined) {
      skipped.push({ name: controller.name, reason: `--${controller.needs} is not given` });
    } else if (controller.offSwitch !== undefined) {
      skipped.push({ name: controller.name, reason: `--${controller.offSwitch} is false` });
    } else if (canonical.includes(controller.name)) {
      notBuilt.push(controller.name);
    } else {
      skipped.push({ name: controller.name, reason: "not built yet" });
    }
  }
  if (notBuilt.length > 0) {
    throw new FlagError(`--controllers: ${notBuilt.join(", ")} cannot be run: not built yet`);
  }
  return { run, skipped };
}

/** upstream: controller-manager/app#IsControllerEnabled, which knows no `-*` */
function isOn(controller: KnownController, items: readonly string[]): boolean {
  const others = items.find((item) => item === "*" || item === "-*");
  if (controller.ruledBy !== undefined && others !== "-*") return true;
  for (const item of items) {
    if (item === controller.name) return true;
    if (item === `-${controller.name}`) return false;
  }
  return others === "*" && controller.offByDefault !== true;
}

/** With full names in place of older ones. Throws a FlagError for names that nobody knows. */
export function canonicalItems(
  items: readonly string[],
  known: readonly KnownController[],
): readonly string[] {
  const names = new Set(known.map((controller) => controller.name));
  const aliases = new Map(
    known.flatMap(({ alias, name }) => (alias === undefined ? [] : [[alias, name] as const])),
  );
  const problems: string[] = [];
  const canonical = items.map((item) => {
    const minus = item.startsWith("-") ? "-" : "";
    const name = item.slice(minus.length);
    if (name !== "*" && !names.has(name) && !aliases.has(name))
      problems.push(unknownName(name, names, aliases));
    return minus + (aliases.get(name) ?? name);
  });
  if (problems.length > 0) throw new FlagError(`--controllers: ${problems.join("; ")}`);
  return canonical;
}

function unknownName(name: string, names: ReadonlySet<string>, aliases: ReadonlyMap<string, string>): string {
  const nearest = nearestNames(name, [...names, ...aliases.keys()]).map((near) => aliases.get(near) ?? near);
  const hint = nearest.length === 0 ? "" : ` (is it ${[...new Set(nearest)].join(" or ")}?)`;
  return `${JSON.stringify(name)} is not a controller${hint}`;
}
