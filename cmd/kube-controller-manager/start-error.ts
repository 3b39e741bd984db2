export { StartError } from "../../pkg/manager/start-error.ts";
