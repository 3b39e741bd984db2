import { isOfNodes } from "./area.ts";
import { compareOnReal } from "./compare.ts";

compareOnReal(isOfNodes);
