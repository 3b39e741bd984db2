export { settle, VirtualClock } from "../../pkg/testing/virtual-clock.ts";
