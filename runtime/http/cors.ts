/** Lets our own pages, and no others, call across our two listeners from a browser. */

export interface Cors {
  /** Headers for an answer to a page of that origin; none for a stranger. */
  headersFor(origin: string): Readonly<Record<string, string>> | undefined
}

const shared = {
  'access-control-allow-headers': 'authorization, content-type, if-match, x-svc-agent, x-request-id',
  'access-control-expose-headers':
    'etag, x-request-id, retry-after, ratelimit-limit, ratelimit-remaining, ratelimit-reset',
  'access-control-max-age': '600',
  vary: 'origin',
}

/** `origins` is asked at each request, since the ports are known only once we listen. */
export function corsFor(origins: () => ReadonlySet<string>): Cors {
  return {
    headersFor(origin) {
      if (!origins().has(origin)) return undefined
      return { 'access-control-allow-origin': origin, 'access-control-allow-methods': methods, ...shared }
    },
  }
}

const methods = 'GET, HEAD, POST, PUT, PATCH, DELETE'
