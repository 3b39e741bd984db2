import { isOfNodes } from "./area.ts";
import { compareOnReal } from "./compare.ts";

compareOnReal((area) => area !== "batch" && area !== "workloads" && !isOfNodes(area));
