import type { AnyFlag } from "./arguments.ts";
import { flagTable } from "./flag-table.ts";
import { flagGroups, type GroupName } from "./options.ts";
import { allFlags } from "./parse.ts";

const INTRODUCTION = `Runs the controllers of a Kubernetes cluster: each watches objects of the API server and writes
what is missing for the cluster to become what these objects ask for.

Usage:
  kube-controller-manager [flags]
`;

/** The text of --help: flags by group, in columns, as wide as the terminal (or 110 columns). */
export function helpText(controllers: ControllerNames, width = 110): string {
  const parts = [INTRODUCTION];
  for (const [group, { title }] of Object.entries(flagGroups)) {
    const flags = allFlags.filter(
      (entry) => entry.group === (group as GroupName) && entry.flag.hidden !== true,
    );
    const lines = flagTable(
      flags.map(({ flag }) => flag),
      { width, more: (flag) => moreAbout(flag, controllers) },
    );
    parts.push(`${title} flags:\n`, ...lines, "");
  }
  return parts.join("\n");
}

export interface ControllerNames {
  readonly all: readonly string[];
  readonly disabledByDefault: readonly string[];
}

function moreAbout(flag: AnyFlag, controllers: ControllerNames): string {
  if (flag.name !== "controllers") return "";
  const { all, disabledByDefault } = controllers;
  return ` All controllers: ${all.join(", ")}. Off by default: ${disabledByDefault.join(", ")}.`;
}
