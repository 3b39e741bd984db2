import { isExpired } from "../../client/errors.ts";
import type { ListOptions } from "../../client/resource-client.ts";
import type { ListWatch } from "./list-watch.ts";

const PAGE_SIZE = 500;

export interface ListResult {
  readonly resourceVersion: string;
  readonly paged: boolean;
}

interface ListRequest<T> {
  /** "" for the newest state, "0" for whatever the server has at hand, else any state that is not older. */
  readonly resourceVersion: string;
  readonly paged: boolean;
  readonly onItem: (item: T) => void;
  /** The list starts anew: what was handed over so far is void. */
  readonly onRestart: () => void;
}

/**
 * A whole list, page by page when `paged`. Pages that expire under way are given up for a list in one piece.
 * upstream: tools/pager/pager.go#ListPager.list
 */
export async function listAll<T>(
  source: ListWatch<T>,
  request: ListRequest<T>,
  signal: AbortSignal,
): Promise<ListResult> {
  const first: ListOptions =
    request.resourceVersion === "" ? {} : { resourceVersion: request.resourceVersion };
  let meta = await source.listEach(
    request.paged ? { ...first, limit: PAGE_SIZE } : first,
    request.onItem,
    signal,
  );
  const paged = Boolean(meta.continue);
  while (meta.continue) {
    try {
      // A continuation carries its version within and must not name one.
      meta = await source.listEach({ limit: PAGE_SIZE, continue: meta.continue }, request.onItem, signal);
    } catch (error) {
      if (!isExpired(error)) throw error;
      request.onRestart();
      meta = await source.listEach(first, request.onItem, signal);
    }
  }
  return { resourceVersion: meta.resourceVersion ?? "", paged };
}
