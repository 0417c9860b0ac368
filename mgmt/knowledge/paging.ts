/** One page of a list that is short enough to be read whole: it goes on behind the item that the last page ended with. */
import { invalid, type Refusal } from '../../core/errors.js'
import type { Pages } from '../../runtime/http/page.js'

export interface PageWanted {
  readonly pages: Pages
  readonly scope: string
  readonly limit: number
  readonly pageToken?: string
}

export function paged<T extends { readonly id: string }>(
  all: readonly T[],
  { pages, scope, limit, pageToken }: PageWanted,
): { data: T[]; nextPageToken?: string } | Refusal {
  const cursor = pageToken === undefined ? undefined : pages.read(scope, pageToken)
  if (pageToken !== undefined && !cursor) return invalid('pageToken', 'is not a token of this list')
  const from = cursor ? behind(all, cursor as [place: number, id: string]) : 0
  const data = all.slice(from, from + limit)
  if (from + data.length >= all.length) return { data }
  return { data, nextPageToken: pages.write(scope, [from + data.length - 1, data.at(-1)!.id]) }
}

/** What was deleted meanwhile may have moved the list; where the item itself is gone, the next one has its place. */
function behind(all: readonly { readonly id: string }[], [place, last]: readonly [place: number, id: string]): number {
  const found = all.findIndex(({ id }) => id === last)
  return found < 0 ? Math.min(place, all.length) : found + 1
}
