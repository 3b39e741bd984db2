/*
 * A cluster in this process: the API server, controllers, a scheduler and nodes without machines.
 */
export { EmbeddedCluster, type ClusterOptions } from "./cluster.ts";
export { POD_CIDR, SERVICE_CIDR } from "./cluster-server.ts";
export type { CandidateOptions } from "./manager.ts";
export { NODE_FAILURE_ANNOTATION } from "./hollow/node-failure.ts";
export { SCRIPT_ANNOTATION } from "./hollow/script.ts";
export { LOGS_ANNOTATION } from "./hollow/container-output.ts";
export { STOPS_AFTER_ANNOTATION } from "./hollow/pod-life.ts";
