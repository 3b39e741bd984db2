import type { ApiObject, PartialObject, Stored } from "../../pkg/api/object.ts";

/** An object of a test as a server would have given it: of its identity, what the case leaves out is empty. */
export function stored<T extends ApiObject>(object: T): Stored<T> {
  const metadata = { name: "", uid: "", resourceVersion: "", ...object.metadata };
  return { ...object, metadata } as unknown as Stored<T>;
}

/** The very object, for code that reads no more of its identity than the case says. */
export function asStored<T extends PartialObject>(object: T): Stored<T> {
  return object as Stored<T>;
}
