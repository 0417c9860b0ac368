/** One page of a list that is short enough to be read whole, with the token of the next page. */
import { invalid, type Refusal } from '../../core/errors.js'
import { page } from '../../core/limits.js'
import { type PageCursor, pageOf } from '../../core/paging.js'
import type { Pages } from './page.js'

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
  const after = pageToken === undefined ? undefined : (pages.read(scope, pageToken) as PageCursor | undefined)
  if (pageToken !== undefined && !after) return invalid('pageToken', 'is not a token of this list')
  const { data, last } = pageOf(all, { limit, ...(after && { after }) }, ({ id }) => id)
  return last ? { data, nextPageToken: pages.write(scope, last) } : { data }
}

type PageMaybe = Omit<PageWanted, 'limit'> & { readonly limit?: number }

/** One page if the call has a `limit` or a `pageToken`, and the whole list otherwise. */
export function wholeOrPaged<T extends { readonly id: string }>(
  all: readonly T[],
  { limit, ...wanted }: PageMaybe,
): { data: T[]; nextPageToken?: string } | Refusal {
  if (limit === undefined && wanted.pageToken === undefined) return { data: [...all] }
  return paged(all, { ...wanted, limit: limit ?? page.defaultRows })
}
