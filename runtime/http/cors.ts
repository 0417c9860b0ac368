/** Lets our own pages call across our two listeners from a browser; others only where a path is for pages of any site. */

export interface Cors {
  /** Headers for an answer to a page of that origin; none for a stranger. */
  headersFor(origin: string, path: string): Readonly<Record<string, string>> | undefined
}

const shared = {
  'access-control-allow-headers': 'authorization, content-type, if-match, if-none-match, x-svc-agent, x-request-id',
  'access-control-expose-headers':
    'etag, x-request-id, retry-after, ratelimit-limit, ratelimit-remaining, ratelimit-reset',
  'access-control-max-age': '600',
  vary: 'origin',
}

/**
 * `origins` is asked at each request, since the ports are known only once we listen. On paths for any site a browser lets
 * every page read the answer; which sites are wanted is for the route to say.
 */
export function corsFor(
  origins: () => ReadonlySet<string>,
  isForAnySite: (path: string) => boolean = () => false,
): Cors {
  return {
    headersFor(origin, path) {
      if (!origins().has(origin) && !isForAnySite(path)) return undefined
      return { 'access-control-allow-origin': origin, 'access-control-allow-methods': methods, ...shared }
    },
  }
}

const methods = 'GET, HEAD, POST, PUT, PATCH, DELETE'
