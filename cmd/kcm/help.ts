import type { AnyFlag } from "../kube-controller-manager/options/arguments.ts";
import { flagTable } from "../kube-controller-manager/options/flag-table.ts";
import { knownControllers } from "../kube-controller-manager/known-controllers.ts";
import type { Command } from "./command.ts";

const columns = (rows: readonly (readonly [string, string])[]): readonly string[] => {
  const indent = Math.max(...rows.map(([left]) => left.length)) + 3;
  return rows.map(([left, right]) => `  ${left.padEnd(indent)}${right}`);
};

/** The text of `kcm --help`. */
export function overview(commands: readonly Command[]): string {
  return [
    "Kubernetes controllers, and clusters in one process to see them work.",
    "",
    "Usage:",
    "  kcm COMMAND [flags]",
    "",
    "Commands:",
    ...columns(commands.map(({ name, takes, summary }) => [[name, takes].join(" ").trim(), summary])),
    "",
    "kcm COMMAND --help tells more of one; kcm --version tells the version.",
    "",
  ].join("\n");
}

/** The text of `kcm COMMAND --help`. */
export function helpOf({ name, takes, summary, flags, examples }: Command, width: number): string {
  const parts = [
    `${summary}.`,
    "",
    "Usage:",
    `  ${["kcm", name, takes, "[flags]"].filter(Boolean).join(" ")}`,
    "",
  ];
  if (flags.length > 0) parts.push("Flags:", ...flagTable(flags, { width, more: moreAbout }), "");
  if (examples.length > 0) parts.push("Examples:", ...columns(examples), "");
  return parts.join("\n");
}

function moreAbout({ name }: AnyFlag): string {
  if (name !== "controllers") return "";
  return ` All: ${knownControllers.map((controller) => controller.name).join(", ")}.`;
}
