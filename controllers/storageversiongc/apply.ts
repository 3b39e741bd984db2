import type { Stored } from "../../pkg/api/object.ts";
import type { V1alpha1StorageVersion as StorageVersion } from "../../pkg/api/types/internal-v1alpha1.gen.ts";
import type { StorageVersionContext } from "./context.ts";
import type { ReportsPlan } from "./reports.ts";

/**
 * An API server may report in the same moment: what was read is written and removed in that very version alone. Whoever
 * is refused for that comes again.
 */
export async function applyReports(
  { writes }: StorageVersionContext,
  read: Stored<StorageVersion>,
  plan: ReportsPlan,
  signal: AbortSignal,
): Promise<void> {
  if (plan.action === "keep") return;
  const writer = { owner: read, signal };
  if (plan.action === "update") await writes.updateStatusUnread(writer, plan.version);
  else await writes.delete(writer, read, { unchanged: true });
}
