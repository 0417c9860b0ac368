/** One page of a list that is short enough to be read whole, with the token of the next page. */
import { isRefusal, type Refusal } from '../../core/errors.js'
import { page } from '../../core/limits/index.js'
import { type PageCursor, pageOf } from '../../core/paging.js'
import type { PageTokens } from './pagetokens.js'

export interface PageRequest {
  readonly pageTokens: PageTokens
  readonly scope: string
  readonly limit: number
  readonly pageToken?: string
}

export function paginate<T extends { readonly id: string }>(
  all: readonly T[],
  { pageTokens, scope, limit, pageToken }: PageRequest,
): { data: T[]; nextPageToken?: string } | Refusal {
  const after = pageTokens.read(scope, pageToken)
  if (isRefusal(after)) return after
  const { data, last } = pageOf(all, { limit, ...(after && { after: after as PageCursor }) }, ({ id }) => id)
  return last ? { data, nextPageToken: pageTokens.write(scope, last) } : { data }
}

type OptionalPageRequest = Omit<PageRequest, 'limit'> & { readonly limit?: number }

/** One page if the call has a `limit` or a `pageToken`, and the whole list otherwise. */
export function paginateIfRequested<T extends { readonly id: string }>(
  all: readonly T[],
  { limit, ...request }: OptionalPageRequest,
): { data: T[]; nextPageToken?: string } | Refusal {
  if (limit === undefined && request.pageToken === undefined) return { data: [...all] }
  return paginate(all, { ...request, limit: limit ?? page.defaultRows })
}
