import { dump } from "js-yaml";
import type { FastifyInstance, FastifyReply } from "fastify";
import type { FeatureGates } from "../../../../pkg/api/feature-gates.ts";
import type { Clock } from "../../../../pkg/clock/clock.ts";
import { renderConfig } from "../../options/config-file.ts";
import type { LeaderMigration } from "../../options/leader-migration-file.ts";
import type { Options } from "../../options/options.ts";
import { allFlags, valueOf } from "../../options/parse.ts";
import { knownControllers } from "../../known-controllers.ts";
import { canonicalItems } from "../../select-controllers.ts";
import { NO_SNIFF, PLAIN_TEXT, replyFailure, replyJson } from "../reply.ts";

const COMPONENT = "kube-controller-manager";
const VERSIONS = ["v1beta1", "v1alpha1"];

export interface ZPagesParts {
  readonly options: Options;
  readonly leaderMigration?: LeaderMigration | undefined;
  readonly features: FeatureGates;
  readonly clock: Clock;
  readonly processStartMs: number;
  readonly build: BuildFacts;
}

export interface BuildFacts {
  /** Of what runs the program; the field is called Go version, whatever the language. */
  readonly goVersion: string;
  readonly binaryVersion: string;
  readonly emulationVersion: string;
}

/** /configz, and the pages for people: /flagz and /statusz. */
export function zPages(app: FastifyInstance, parts: ZPagesParts): void {
  const { options, features } = parts;
  const paths = ["/configz", "/healthz", "/livez", "/metrics", "/readyz"];
  const controllers = canonicalItems(options.generic.controllers, knownControllers);
  const { leaderMigration } = parts;
  const config = {
    "kubecontrollermanager.config.k8s.io": renderConfig(options, { controllers, leaderMigration }),
  };
  app.all("/configz", async (_, reply) => replyJson(reply.header(...NO_SNIFF), 200, config));
  if (features.enabled("ComponentFlagz")) {
    const flags = flagsOf(options);
    paths.push("/flagz");
    const lines = Object.entries(flags).map(([name, value]) => `${name}: ${value}\n`);
    const page: ZPage = { kind: "Flagz", text: () => lines.join(""), fields: () => ({ flags }) };
    app.all("/flagz", async (request, reply) => sendPage(reply, page, request.headers.accept));
  }
  if (features.enabled("ComponentStatusz")) {
    const page = statusPage(parts, paths);
    app.all("/statusz", async (request, reply) => sendPage(reply, page, request.headers.accept));
  }
}

function flagsOf(options: Options): Readonly<Record<string, string>> {
  const flags = allFlags.map((entry) => {
    const { flag } = entry;
    return [flag.name, flag.type.format(valueOf(options, entry))] as const;
  });
  return Object.fromEntries(flags.toSorted(([left], [right]) => (left < right ? -1 : 1)));
}

function statusPage({ clock, processStartMs, build }: ZPagesParts, paths: readonly string[]): ZPage {
  const sorted = paths.toSorted();
  const upSeconds = (): number => Math.floor((clock.nowMs() - processStartMs) / 1_000);
  return {
    kind: "Statusz",
    text: () =>
      [
        "",
        `Started: ${unixDate(processStartMs)}`,
        `Up: ${uptime(upSeconds())}`,
        `Go version: ${build.goVersion}`,
        `Binary version: ${build.binaryVersion}`,
        `Emulation version: ${build.emulationVersion}`,
        `Paths: ${sorted.join(" ")}`,
        "",
      ].join("\n"),
    fields: () => ({
      startTime: new Date(processStartMs).toISOString().replace(/\.\d+Z$/, "Z"),
      uptimeSeconds: upSeconds(),
      ...build,
      paths: sorted,
    }),
  };
}

interface ZPage {
  readonly kind: "Flagz" | "Statusz";
  text(): string;
  /** Of the structured form. */
  fields(): Readonly<Record<string, unknown>>;
}

/**
 * Text, unless the client asks for the JSON or YAML of a version:
 * `application/json;v=v1beta1;g=config.k8s.io;as=Statusz`.
 */
async function sendPage(reply: FastifyReply, page: ZPage, accept = ""): Promise<FastifyReply> {
  const ranges = accept.split(",").map((range) => range.trim());
  if (accept.trim() === "") return sendText(reply, page);
  for (const range of ranges) {
    const [type = "", ...parameters] = range.split(";").map((part) => part.trim());
    const version = structuredVersion(parameters, page.kind);
    if (isStructured(type) && version !== undefined) return sendDocument(reply, page, version, type);
    if (
      ["text/plain", "text/*", "*/*"].includes(type) &&
      !parameters.some((part) => part.startsWith("as="))
    ) {
      return sendText(reply, page);
    }
  }
  return replyFailure(reply, {
    message: "only the following media types are accepted: application/json, application/yaml, text/plain",
    reason: "NotAcceptable",
    code: 406,
  });
}

function structuredVersion(parameters: readonly string[], kind: string): string | undefined {
  if (!parameters.includes("g=config.k8s.io") || !parameters.includes(`as=${kind}`)) return undefined;
  return VERSIONS.find((version) => parameters.includes(`v=${version}`));
}

async function sendText(reply: FastifyReply, page: ZPage): Promise<FastifyReply> {
  const title = `${COMPONENT} ${page.kind.toLowerCase()}`;
  const warning =
    "Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is for debugging purposes only.";
  return reply.type(PLAIN_TEXT).send(`\n${title}\n${warning}\n${page.text()}`);
}

type Structured = "application/json" | "application/yaml";

function isStructured(type: string): type is Structured {
  return type === "application/json" || type === "application/yaml";
}

async function sendDocument(
  reply: FastifyReply,
  page: ZPage,
  version: string,
  type: Structured,
): Promise<FastifyReply> {
  if (version === "v1alpha1") {
    const name = page.kind.toLowerCase();
    reply.header(
      "warning",
      `299 - "This version of the ${name} endpoint is deprecated. Please use a newer version."`,
    );
  }
  const document = {
    kind: page.kind,
    apiVersion: `config.k8s.io/${version}`,
    metadata: { name: COMPONENT },
    ...page.fields(),
  };
  const contentType = `${type};g=config.k8s.io;v=${version};as=${page.kind}`;
  if (type === "application/json") return replyJson(reply, 200, document, contentType);
  const sorted = Object.fromEntries(Object.entries(document).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  return reply.header("content-type", contentType).send(Buffer.from(dump(sorted)));
}

/** "Wed Nov 18 11:43:34 UTC 2026" */
function unixDate(ms: number): string {
  const [weekday, day, month, year, time, zone] = new Date(ms).toUTCString().replace(",", "").split(" ");
  const shortDay = String(Number(day)).padStart(2);
  return `${weekday} ${month} ${shortDay} ${time} ${zone === "GMT" ? "UTC" : zone} ${year}`;
}

function uptime(seconds: number): string {
  const two = (value: number): string => String(Math.floor(value)).padStart(2, "0");
  return `${Math.floor(seconds / 3_600)} hr ${two((seconds / 60) % 60)} min ${two(seconds % 60)} sec`;
}
