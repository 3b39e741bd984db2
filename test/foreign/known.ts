/** Cases that cannot pass, and why. Those that are specs are not run unless ALL=1 asks for it: most would wait for minutes. */
export interface Known {
  readonly suite: string;
  /** Of the case's full name. */
  readonly cases: RegExp;
  readonly why: string;
}

const conformance = "conformance";

export const known: readonly Known[] = [
  {
    suite: conformance,
    cases: /Aggregator|ServiceAccountIssuerDiscovery|should mount/,
    why: "An API server, a client or a file would have to be in a pod that runs.",
  },
  {
    suite: "pkg/client/apiutil",
    cases: /aggregatedDiscovery=false/,
    why: "It downloads an API server of an old release.",
  },
];

/** Cases whose webhooks are programs in pods. */
export const withPodPrograms =
  /AdmissionWebhook|CustomResourceConversionWebhook|CustomResourceFieldSelectors/;
