/** What controllers are written with. */
export { controller, type ControllerBuilder } from "./builder/controller.ts";
export type { Concerned, RuleOptions } from "./builder/draft.ts";
export type {
  ApplyOptions,
  Context,
  Desired,
  ListWish,
  Reconcile,
  ReconcileResult,
  Ref,
} from "./builder/context.ts";
export { CacheError } from "./builder/object-caches.ts";
export type { ControllerOptions } from "./builder/options.ts";
export { changed, type Predicate } from "./builder/predicates.ts";
export type { OnError } from "./builder/reconciler.ts";
export type { Source, Wish } from "./builder/source.ts";
export { condition, conditionsSchema, type StatusFields, type StatusOf } from "./builder/status.ts";
export type { ControllerDescriptor } from "./env.ts";
export { PermanentError } from "./permanent-error.ts";
export type { Reason } from "./reasons.ts";
export type { Verdict } from "./worker.ts";
