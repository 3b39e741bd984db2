import { compareOnReal } from "./compare.ts";

compareOnReal((area) => area === "autoscaling");
