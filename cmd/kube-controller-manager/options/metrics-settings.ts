import { messageOf } from "../../../pkg/api/errors.ts";
import { type MetricsConfig, validateMetricsConfig } from "../../../pkg/metrics/policy.ts";
import { KUBERNETES_VERSION } from "../version.ts";
import { isObject, parseDocument } from "./document.ts";
import { FlagError } from "./flag.ts";
import type { Options } from "./options.ts";

type AllowedLabels = Readonly<Record<string, string>>;

/** What the flags, and the file that one of them names, say of metrics. Throws a FlagError for what cannot be used. */
export function metricsSettings(options: Options, readFile: (path: string) => string): MetricsConfig {
  const { disabled, showHiddenForVersion, allowLabels, allowLabelsManifest } = options.metrics;
  const settings = { version: KUBERNETES_VERSION, disabled, showHiddenForVersion };
  const fromFlag = judged({ ...settings, allowLabels }, "");
  if (allowLabelsManifest === "") return fromFlag;
  // upstream: component-base/metrics/api/v1/config.go#Validate; the help says that the flag wins, but both are refused.
  if (Object.keys(allowLabels).length > 0) {
    throw new FlagError("--allow-metric-labels and --allow-metric-labels-manifest cannot both be given");
  }
  const where = `--allow-metric-labels-manifest ${allowLabelsManifest}: `;
  return judged({ ...settings, allowLabels: readManifest(allowLabelsManifest, readFile, where) }, where);
}

function judged(config: MetricsConfig, where: string): MetricsConfig {
  const problems = validateMetricsConfig(config);
  if (problems.length > 0) throw new FlagError(where + problems.join("; "));
  return config;
}

function readManifest(path: string, readFile: (path: string) => string, where: string): AllowedLabels {
  let document;
  try {
    document = parseDocument(readFile(path), "as text");
  } catch (error) {
    throw new FlagError(where + messageOf(error), { cause: error });
  }
  // Upstream reads the bare pairs; its help shows them below a key.
  const { allowListMapping } = document;
  const pairs = isObject(allowListMapping) ? allowListMapping : document;
  return Object.fromEntries(
    Object.entries(pairs).map(([key, values]) => {
      if (typeof values !== "string" && values !== null)
        throw new FlagError(`${where}${key} must be a string`);
      return [key, values ?? ""];
    }),
  );
}
