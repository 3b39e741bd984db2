import { CONTROLLER_INDEX, controllerIndex, ownedBy, ownedByOrFree } from "./controller-index.ts";

export const POD_CONTROLLER_INDEX = CONTROLLER_INDEX;
export const podControllerIndex = controllerIndex;
export const ownedAndOrphanedPods = ownedByOrFree;
export const ownedPods = ownedBy;
