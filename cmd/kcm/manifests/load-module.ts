import { pathToFileURL } from "node:url";
import { resolve } from "node:path";
import { existsSync } from "node:fs";
import { messageOf } from "../../../pkg/api/errors.ts";
import { isJson } from "../../../pkg/api/json.ts";
import type { ApiObject } from "../../../pkg/api/object.ts";
import type { ControllerDescriptor } from "../../../pkg/controller/env.ts";
import type { AnyCrd } from "../../../pkg/crd/crd.ts";
import type { AnyWebhook } from "../../../pkg/webhook/webhook.ts";
import { StartError } from "../../../pkg/manager/start-error.ts";

/** What a module of an operator exports, by what it can be used for. */
export interface OperatorModule {
  readonly crds: readonly AnyCrd[];
  readonly controllers: readonly ControllerDescriptor[];
  readonly webhooks: readonly AnyWebhook[];
  /** Objects that show the controllers at work. */
  readonly examples: readonly ApiObject[];
}

/** Reads the module, and whatever runs when it is read. */
export async function loadOperator(path: string): Promise<OperatorModule> {
  const file = resolve(path);
  if (!existsSync(file)) throw new StartError(`there is no module ${path}`);
  let exported: Readonly<Record<string, unknown>>;
  try {
    exported = (await import(pathToFileURL(file).href)) as Readonly<Record<string, unknown>>;
  } catch (error) {
    throw new StartError(`${path} cannot be read: ${messageOf(error)}`, error, "all");
  }
  const values = Object.values(exported).flatMap((value): unknown[] =>
    Array.isArray(value) ? value : [value],
  );
  const operator = {
    crds: [...new Set(values.filter(isCrd))],
    controllers: [...new Set(values.filter(isController))],
    webhooks: [...new Set(values.filter(isWebhook))],
    examples: [...new Set(values.filter(isExample))],
  };
  if (operator.crds.length + operator.controllers.length + operator.webhooks.length === 0)
    throw new StartError(`${path} exports no definition, controller or webhook`);
  return operator;
}

function isCrd(value: unknown): value is AnyCrd {
  return isJson(value) && typeof value["manifest"] === "function" && Array.isArray(value["conversions"]);
}

function isController(value: unknown): value is ControllerDescriptor {
  return isJson(value) && typeof value["build"] === "function" && typeof value["clientName"] === "string";
}

function isWebhook(value: unknown): value is AnyWebhook {
  return isJson(value) && "mutating" in value && "validating" in value && isJson(value["resource"]);
}

function isExample(value: unknown): value is ApiObject {
  return (
    isJson(value) &&
    typeof value["apiVersion"] === "string" &&
    typeof value["kind"] === "string" &&
    isJson(value["metadata"])
  );
}
