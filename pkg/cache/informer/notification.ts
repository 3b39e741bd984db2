/** What handlers are told of one object. `sync` marks an update that changed nothing: only due resyncs get it. */
export type Notification<T> =
  | { readonly type: "add"; readonly object: T }
  | { readonly type: "update"; readonly before: T; readonly after: T; readonly sync: boolean }
  | { readonly type: "delete"; readonly object: T; readonly missed: boolean };

/** Notifications that came of one batch of changes, shared by all handlers. */
export interface NotificationBatch<T> {
  readonly notifications: readonly Notification<T>[];
  readonly initial: boolean;
}
