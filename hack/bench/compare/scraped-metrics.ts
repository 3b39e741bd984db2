/** Numbers from a page of metrics in the text format. */
export interface ScrapedMetrics {
  /** The sum over all series of this name whose labels match. */
  sum(name: string, labels?: (labels: string) => boolean): number;
}

export function scrapedMetrics(text: string): ScrapedMetrics {
  const series = text.split("\n").flatMap((line) => {
    const [, name, labels = "", value] = /^(\w+)(\{.*\})? (\S+)$/.exec(line) ?? [];
    return name === undefined ? [] : [{ name, labels, value: Number(value) }];
  });
  return {
    sum: (wanted, matches = () => true) =>
      series
        .filter(({ name, labels }) => name === wanted && matches(labels))
        .reduce((sum, { value }) => sum + value, 0),
  };
}

/** Requests that this manager has sent so far. */
export function requestsOf(metrics: ScrapedMetrics): number {
  return metrics.sum("rest_client_requests_total");
}

const WRITES = /method="(POST|PUT|PATCH|DELETE)"/;

/** Requests that write, Events and Leases included. */
export function writesOf(metrics: ScrapedMetrics): number {
  return metrics.sum("rest_client_requests_total", (labels) => WRITES.test(labels));
}

/** Requests that were refused because somebody else had written meanwhile. */
export function conflictsOf(metrics: ScrapedMetrics): number {
  return metrics.sum("rest_client_requests_total", (labels) => labels.includes('code="409"'));
}
