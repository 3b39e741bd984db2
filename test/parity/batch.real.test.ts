import { compareOnReal } from "./compare.ts";

// Schedules know no less than a minute.
compareOnReal((area) => area === "batch");
