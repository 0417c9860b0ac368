/** CORS: Parley's own pages may call both listeners of a node, pages of other sites only the paths for any site. */

export interface Cors {
  /** The headers for a page of that origin; undefined when it may not read the answer. */
  headersFor(origin: string, path: string): Readonly<Record<string, string>> | undefined
}

const fixedHeaders = {
  'access-control-allow-headers': 'authorization, content-type, if-match, if-none-match, x-svc-agent, x-request-id',
  'access-control-expose-headers':
    'etag, x-request-id, retry-after, ratelimit-limit, ratelimit-remaining, ratelimit-reset',
  'access-control-max-age': '600',
  vary: 'origin',
}

/**
 * `origins` is called for each request, because the ports are known only once the node listens. On a path for any site
 * every page may read the answer; its route decides which sites to serve.
 */
export function createCors(
  origins: () => ReadonlySet<string>,
  allowsAnyOrigin: (path: string) => boolean = () => false,
): Cors {
  return {
    headersFor(origin, path) {
      if (!origins().has(origin) && !allowsAnyOrigin(path)) return undefined
      return { 'access-control-allow-origin': origin, 'access-control-allow-methods': methods, ...fixedHeaders }
    },
  }
}

const methods = 'GET, HEAD, POST, PUT, PATCH, DELETE'
