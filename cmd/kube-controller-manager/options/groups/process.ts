import { bool, ofType, duration, int, list, text } from "../flag.ts";
import { bytesType, levelType, modulesType, pairsType, versionType } from "../flag-types.ts";

const ONE_STREAM = "log lines go to one stream, unbuffered up to the flush";

export const metrics = {
  title: "Metrics",
  flags: {
    allowLabels: ofType(pairsType)(
      "allow-metric-labels",
      {},
      "Values that a label may take, as metric,label=value,value; every other value is shown as 'unexpected'.",
    ),
    allowLabelsManifest: text(
      "allow-metric-labels-manifest",
      "",
      "File with such a list; the flag goes before it.",
    ),
    disabled: list("disabled-metrics", [], "Metrics to leave out, by their full names."),
    showHiddenForVersion: text(
      "show-hidden-metrics-for-version",
      "",
      "Show metrics that were hidden since this version.",
    ),
  },
};

export const logs = {
  title: "Logs",
  flags: {
    flushFrequencyMs: duration("log-flush-frequency", 5_000, "Longest time between two flushes of the log.", {
      unused: "every line is written at once",
    }),
    jsonInfoBufferSize: ofType(bytesType)("log-json-info-buffer-size", 0, "Buffer for info lines in JSON.", {
      unused: ONE_STREAM,
    }),
    jsonSplitStream: bool("log-json-split-stream", false, "Errors to stderr, the rest to stdout, in JSON.", {
      unused: ONE_STREAM,
    }),
    textInfoBufferSize: ofType(bytesType)("log-text-info-buffer-size", 0, "Buffer for info lines in text.", {
      unused: ONE_STREAM,
    }),
    textSplitStream: bool("log-text-split-stream", false, "Errors to stderr, the rest to stdout, in text.", {
      unused: ONE_STREAM,
    }),
    format: text("logging-format", "text", "Form of log lines: text or json."),
    level: ofType(levelType)("v", 0, "Verbosity of the log; 0 is least.", { shorthand: "v" }),
    modules: ofType(modulesType)("vmodule", "", "Verbosity by component: pattern=N, joined by commas."),
  },
};

export const misc = {
  title: "Misc",
  flags: {
    kubeconfig: text("kubeconfig", "", "File that says how to reach the API server, and as whom.", {
      config: "Generic.ClientConnection.kubeconfig",
    }),
    master: text("master", "", "Address of the API server; goes before the one in the kubeconfig."),
  },
};

/** What Go's program does not have. */
export const own = {
  title: "Beyond upstream",
  flags: {
    config: text("config", "", "File of kind KubeControllerManagerConfiguration; flags go before it."),
    fairQueues: bool(
      "fair-queues",
      true,
      "Namespaces take turns in work queues and at the request limit, so that a busy one does not hold up the others.",
    ),
    ownedPodsOnly: bool(
      "horizontal-pod-autoscaler-owned-pods-only",
      false,
      "Autoscalers leave out pods that the selector of their target names and that the target does not own.",
    ),
    standbyReady: bool("standby-ready", true, "/readyz answers ok while another process holds the Lease."),
    heapSnapshots: bool(
      "heap-snapshots",
      false,
      "Serve snapshots of the heap under /debug/v8/heap-snapshot. They hold every token and Secret in memory, and stop the process while they are taken.",
    ),
    syncHistory: int(
      "sync-history",
      50,
      "How many syncs of each work queue /debug/controllers/NAME can tell of, of those that did something and of the others. 0 keeps none.",
    ),
    maxSyncMs: duration(
      "health-max-sync-duration",
      300_000,
      "/readyz tells of a controller that works on one key for longer than this without an answer from the API server, and of caches that take longer to fill.",
    ),
  },
};

export const global = {
  title: "Global",
  flags: {
    help: bool("help", false, "Print this text and exit.", { shorthand: "h" }),
    version: ofType(versionType)(
      "version",
      "",
      "Print the version and exit; =raw prints its parts, =vX.Y.Z reports another.",
    ),
  },
};
