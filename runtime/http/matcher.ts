/** The router. Finding a route takes time that depends on the path, and not on the number of routes. */
import { LRUCache } from 'lru-cache'

interface Node<T> {
  readonly fixed: Map<string, Node<T>>
  parameter?: Node<T>
  /** Entries by method, each with the names of its parameters in order. */
  readonly entries: Map<string, { readonly entry: T; readonly names: readonly string[] }>
}

export interface RouteMatch<T> {
  readonly entry: T
  readonly params: Readonly<Record<string, string>>
  /** Whether the entry takes these parameters; set by the first request that checks them. */
  paramsValid?: boolean
}

/** No entry: `allow` lists the methods that the path has, and is empty when there is no such path. */
export interface NoMatch {
  readonly entry?: undefined
  readonly allow: readonly string[]
}

export interface Matcher<T> {
  add(method: string, path: string, entry: T): void
  /** A match is cached and shared between requests. */
  find(method: string, path: string): RouteMatch<T> | NoMatch
}

/** The cache of each method is cleared when it has as many paths. */
const cachedPaths = 4_096

export function createMatcher<T>(): Matcher<T> {
  const root = newNode<T>()
  const cache = new Map<string, LRUCache<string, RouteMatch<T>>>()

  function resolve(method: string, path: string): RouteMatch<T> | NoMatch {
    const segments = segmentsOf(path)
    if (!segments) return { allow: [] }
    const values: string[] = []
    const match = findEntry(root, segments, 0, method, values)
    if (!match) return { allow: methodsOf(root, segments, 0).sort() }
    return { entry: match.entry, params: Object.fromEntries(match.names.map((name, at) => [name, values[at]!])) }
  }

  return {
    add(method, path, entry) {
      if (!cache.has(method)) cache.set(method, new LRUCache({ max: cachedPaths }))
      const names: string[] = []
      let node = root
      for (const segment of path.split('/').slice(1)) {
        const name = /^\{(\w+)\}$/.exec(segment)?.[1]
        if (name) {
          names.push(name)
          node.parameter ??= newNode()
          node = node.parameter
        } else {
          const next = node.fixed.get(segment) ?? newNode<T>()
          node.fixed.set(segment, next)
          node = next
        }
      }
      if (node.entries.has(method)) throw new Error(`two routes for ${method} ${path}`)
      node.entries.set(method, { entry, names })
    },
    find(method, path) {
      const cached = cache.get(method)
      const cachedMatch = cached?.get(path)
      if (cachedMatch) return cachedMatch
      const match = resolve(method, path)
      if (cached && 'params' in match) cached.set(path, match)
      return match
    },
  }
}

function newNode<T>(): Node<T> {
  return { fixed: new Map(), entries: new Map() }
}

/** Prefers a fixed segment to a parameter, unless the branch below the fixed one does not have the method. */
function findEntry<T>(
  node: Node<T>,
  segments: readonly string[],
  depth: number,
  method: string,
  values: string[],
): { entry: T; names: readonly string[] } | undefined {
  if (depth === segments.length) return node.entries.get(method)
  const segment = segments[depth]!
  const fixed = node.fixed.get(segment)
  const match = fixed && findEntry(fixed, segments, depth + 1, method, values)
  if (match || !node.parameter || segment === '') return match
  values.push(segment)
  const parameterMatch = findEntry(node.parameter, segments, depth + 1, method, values)
  if (!parameterMatch) values.pop()
  return parameterMatch
}

function methodsOf<T>(node: Node<T>, segments: readonly string[], depth: number): string[] {
  if (depth === segments.length) return [...node.entries.keys()]
  const segment = segments[depth]!
  const fixed = node.fixed.get(segment)
  const byFixed = fixed ? methodsOf(fixed, segments, depth + 1) : []
  const byParameter = node.parameter && segment !== '' ? methodsOf(node.parameter, segments, depth + 1) : []
  return [...new Set([...byFixed, ...byParameter])]
}

/** Splits first and decodes after, so that an encoded slash stays inside its segment. */
function segmentsOf(path: string): string[] | undefined {
  if (path.charCodeAt(0) !== 47) return undefined
  const segments = path.slice(1).split('/')
  if (!path.includes('%')) return segments
  try {
    return segments.map(decodeURIComponent)
  } catch {
    return undefined
  }
}
