/** Where and how answers differ, so named that the same cause has the same name wherever it shows. */
export interface Difference {
  readonly signature: string;
  readonly real: string;
  readonly embedded: string;
}

const podTemplate = /^(?:spec\.jobTemplate\.spec\.template|spec\.template|template)\.(spec|metadata)\b/;

/** Kinds whose specs are pods or hold some: what differs there differs in all. */
const withPods = new Set([
  "CronJob",
  "DaemonSet",
  "Deployment",
  "Job",
  "Pod",
  "PodTemplate",
  "ReplicaSet",
  "ReplicationController",
  "StatefulSet",
]);

/** Of requests, which name them in causes as if they were fields. */
const options = new Set([
  "dryRun",
  "fieldManager",
  "fieldValidation",
  "force",
  "gracePeriodSeconds",
  "propagationPolicy",
  "patch",
  "resourceVersionMatch",
  "sendInitialEvents",
]);

/** "Deployment" and "spec.template.spec.containers[0].image" are "pod" and "spec.containers[*].image". */
export function place(kind: string, path: string): string {
  const plain = path
    .replaceAll(/\[[^\]]*\]/g, "[*]")
    .replaceAll(
      /\b(labels|annotations|data|stringData|binaryData|limits|requests|nodeSelector|matchLabels|capacity)\.(?!\$).*$/gi,
      "$1.*",
    );
  if (withPods.has(kind)) {
    const inPod = podTemplate.exec(plain);
    if (inPod !== null) return `pod ${plain.slice(inPod[0].length - (inPod[1] ?? "").length)}`;
    if (kind === "Pod" && plain.startsWith("spec")) return `pod ${plain}`;
  }
  if (options.has(plain) || plain.startsWith("columnDefinitions")) return `any ${plain}`;
  if (plain.startsWith("metadata") && !plain.startsWith("metadata.managedFields")) return `any ${plain}`;
  return `${kind} ${plain}`;
}

/**
 * A message without what Go prints in its own way: values that are structs or whole objects, how two of them differ, the
 * names of types, and characters that need not be escaped.
 */
export function withoutGo(message: string): string {
  const [first = ""] = message.split("\n", 1);
  return first
    .replace(
      /^((?:Invalid|Unsupported|Duplicate) value): (?:null|[[{].*?[\]}]|"(?:map\[|\{)(?:[^"\\]|\\.)*")(?=: |$)/s,
      "$1: {}",
    )
    .replaceAll(/\\u00([0-9a-f]{2})/g, (_, code: string) => plainCharacter(Number.parseInt(code, 16)))
    .replaceAll(/: "(-?[0-9]+)"(?=: |$)/g, ": $1")
    .replace(/json: cannot unmarshal .*$/, "json: cannot unmarshal")
    .replace(/: expected [a-z ]+, got &.*$/, ": expected")
    .replace(/list element types are not identical: .*$/, "list element types are not identical")
    .replace(/(?<=compilation failed): .*$/s, "")
    .trim();
}

function plainCharacter(code: number): string {
  return code < 0x20 || code === 0x7f
    ? `\\x${code.toString(16).padStart(2, "0")}`
    : String.fromCharCode(code);
}

/** A message without the values in it. */
export function wording(message: string): string {
  return (
    withoutGo(message)
      .replace(
        /^((?:Invalid|Unsupported|Duplicate) value|Not found): (?:"(?:[^"\\]|\\.)*"|[^:]*)(?=: |$)/s,
        "$1",
      )
      .replaceAll(/"(?:[^"\\]|\\.)*"/g, "…")
      .replaceAll(/'[^']*'/g, "…")
      .replaceAll(/\(?\*\w+\.\w+\)?/g, "a type")
      .replaceAll(/ of type [^:,]*/g, " of a type")
      .replace(/^\S+ (?:… )?(?=not found|is forbidden)/, "it ")
      .replace(/^(Operation cannot be fulfilled on) \S+ …/, "$1 it")
      .replace(/^.* in version … cannot be handled as an? \w+/, "it cannot be handled")
      // What an object is called, where it is said without quotes.
      .replaceAll(
        /(?<=storage version )\S+|(?<=but got: )\S+|(?<=CIDR address: )[^)]+|(?<=GroupVersion string: )\S+/g,
        "…",
      )
      // What expressions are, and bodies begin with, is another thing each time.
      .replace(/(compilation failed|must evaluate to \w+): .*$|(?<=must evaluate to \w+) but got .*$/s, "$1")
      .replace(/ \(\{.*\)$/s, "")
      .replaceAll(/\b(?:Go struct field|strict decoding error:) [^:]*?(?= of a type|$)/g, "a field")
      .replaceAll(/-?\b\d+(?:\.\d+)?\b/g, "N")
      .replaceAll(/\{.*\}|\[.*\]/gs, "{}")
      .replaceAll(/\s+/g, " ")
      .slice(0, 160)
  );
}
