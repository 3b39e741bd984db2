/*
 * The API server in memory, for tests and for clusters without machines. It can be asked in this process, over a socket,
 * or both.
 */
export { embeddedServer, type EmbeddedOptions } from "./embedded-server.ts";
export { ApiServer, type ApiServerOptions } from "./server/api-server.ts";
export { HttpServer, type HttpServerOptions, type TlsFiles } from "./http/http-server.ts";
export { DirectTransport } from "./direct-transport.ts";
export { builtInAdmission } from "./admission/built-in-admission.ts";
export { accessControl, type AccessControl, type AccessControlOptions } from "./access-control.ts";
export { createBootstrapObjects, type BootstrapOptions } from "./bootstrap.ts";
export { adminUser, type UserInfo } from "./server/access.ts";
export { Store, type StoreOptions } from "./storage/store.ts";
export { persistentStore } from "./storage/persistent-store.ts";
export { DataDirectoryError } from "./storage/file-journal.ts";
export { DisconnectError, Faults } from "./server/faults.ts";
