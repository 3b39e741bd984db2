import { type Area, isOfNodes } from "./area.ts";
import { compareOnReal } from "./compare.ts";

/** Each has a file. */
const elsewhere: ReadonlySet<Area> = new Set<Area>(["autoscaling", "batch", "workloads"]);

compareOnReal((area) => !elsewhere.has(area) && !isOfNodes(area));
