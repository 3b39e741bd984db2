import type { ApiObject } from "../../api/object.ts";
import { asJson, type Json } from "../../api/json.ts";
import { copyJson } from "../../api/json-copy.ts";
import type { Draft } from "../kinds/kind.ts";
import type { Conversion } from "../server/served-resource.ts";
import { deepFreeze } from "../../api/freeze.ts";
import type { Converter } from "./conversion-webhook.ts";
import { applyDefaults, lacksDefaults } from "./default-values.ts";
import type { OpenApiSchema } from "../../cel/schemas/open-api-schema.ts";
import { pruneUnknown } from "./prune.ts";

export interface CustomVersions {
  /** The one that is served. */
  readonly apiVersion: string;
  /** The one that is stored; objects that nobody has written to for long may be stored in others. */
  readonly storedVersion: string;
  readonly schemaOf: (apiVersion: string) => OpenApiSchema | undefined;
  /** Undefined where only apiVersion changes. */
  readonly converter: Converter | undefined;
}

/**
 * Defaults of the version that is stored are filled in as objects are read, also in those that are older than the defaults;
 * what the version that is read does not know is left out.
 */
export function customConversion(versions: CustomVersions): Conversion {
  return versions.converter === undefined
    ? plainConversion(versions)
    : webhookConversion(versions, versions.converter);
}

function plainConversion(versions: CustomVersions): Conversion {
  const { apiVersion, storedVersion, schemaOf } = versions;
  const read = new WeakMap<ApiObject, ApiObject>();
  return {
    storedVersion,
    toStorage: (draft) => ({ ...draft, apiVersion: storedVersion }),
    fromStorage: (stored) => {
      let shown = read.get(stored);
      if (shown === undefined) {
        const whole = withDefaults(stored, versions);
        shown =
          whole.apiVersion === apiVersion
            ? whole
            : frozen({ ...copyJson(asJson(whole)), apiVersion }, schemaOf(apiVersion));
        read.set(stored, shown);
      }
      return shown;
    },
  };
}

function webhookConversion(versions: CustomVersions, converter: Converter): Conversion {
  const { apiVersion, storedVersion, schemaOf } = versions;
  const read = new WeakMap<ApiObject, ApiObject>();
  const isForeign = (stored: ApiObject): boolean => stored.apiVersion !== apiVersion;
  return {
    storedVersion,
    async toStorage(draft) {
      if (draft["apiVersion"] === storedVersion) return draft;
      const [made = {}] = await converter.convert([draft], storedVersion);
      pruneUnknown(made, schemaOf(storedVersion));
      return made as Draft;
    },
    fromStorage(stored) {
      if (!isForeign(stored)) {
        let whole = read.get(stored);
        if (whole === undefined) read.set(stored, (whole = withDefaults(stored, versions)));
        return whole;
      }
      const shown = read.get(stored);
      if (shown === undefined) throw new Error("an object is read before it is converted");
      return shown;
    },
    remote: {
      has: (stored) => !isForeign(stored) || read.has(stored),
      async make(stored) {
        const foreign = stored.filter(isForeign);
        if (foreign.length === 0) return;
        const given = foreign.map((object) => asJson(withDefaults(object, versions)));
        const made = await converter.convert(given, apiVersion);
        for (const [index, object] of foreign.entries())
          read.set(object, frozen(made[index] ?? {}, schemaOf(apiVersion)));
      },
      async anew(stored) {
        const whole = withDefaults(stored, versions);
        if (!isForeign(stored)) return whole;
        const [made = {}] = await converter.convert([asJson(whole)], apiVersion);
        const shown = frozen(made, schemaOf(apiVersion));
        // What lists and watches show is as old as they know the object.
        if (!read.has(stored)) read.set(stored, shown);
        return shown;
      },
    },
  };
}

/** The object itself where there is nothing to fill in. */
function withDefaults(stored: ApiObject, { schemaOf }: CustomVersions): ApiObject {
  const schema = schemaOf(stored.apiVersion ?? "");
  // Nearly all are as they were written.
  if (!lacksDefaults(stored, schema)) return stored;
  const draft: Json = copyJson(asJson(stored));
  applyDefaults(draft, schema);
  return deepFreeze(draft) as unknown as ApiObject;
}

function frozen(draft: Json, schema: OpenApiSchema | undefined): ApiObject {
  pruneUnknown(draft, schema);
  return deepFreeze(draft) as unknown as ApiObject;
}
