import { compareOnReal } from "./compare.ts";

compareOnReal((area) => area !== "batch" && area !== "workloads");
