/** Finds the route of a method and path in time that depends on the path alone, not on how many routes there are. */
import { LRUCache } from 'lru-cache'

interface Node<T> {
  readonly fixed: Map<string, Node<T>>
  any?: Node<T>
  /** Entries by method, each with the names of its parameters in order. */
  readonly here: Map<string, { readonly entry: T; readonly names: readonly string[] }>
}

export interface Found<T> {
  readonly entry: T
  readonly params: Readonly<Record<string, string>>
  /** Whether the parameters are what the entry takes, once somebody has looked. */
  valid?: boolean
}

/** No entry: `allow` lists the methods the path would take, empty when there is no such path. */
export interface Missed {
  readonly entry?: undefined
  readonly allow: readonly string[]
}

export interface Matcher<T> {
  add(method: string, path: string, entry: T): void
  /** What is found is remembered for a while and shared between calls. */
  find(method: string, path: string): Found<T> | Missed
}

/** Callers ask for the same few paths over and over, so a path is taken apart once. */
const rememberedPaths = 4_096

export function openMatcher<T>(): Matcher<T> {
  const root = newNode<T>()
  const remembered = new Map<string, LRUCache<string, Found<T>>>()

  function look(method: string, path: string): Found<T> | Missed {
    const segments = segmentsOf(path)
    if (!segments) return { allow: [] }
    const values: string[] = []
    const found = walk(root, segments, 0, method, values)
    if (!found) return { allow: methodsOf(root, segments, 0).sort() }
    return { entry: found.entry, params: Object.fromEntries(found.names.map((name, at) => [name, values[at]!])) }
  }

  return {
    add(method, path, entry) {
      if (!remembered.has(method)) remembered.set(method, new LRUCache({ max: rememberedPaths }))
      const names: string[] = []
      let node = root
      for (const segment of path.split('/').slice(1)) {
        const name = /^\{(\w+)\}$/.exec(segment)?.[1]
        if (name) {
          names.push(name)
          node.any ??= newNode()
          node = node.any
        } else {
          const next = node.fixed.get(segment) ?? newNode<T>()
          node.fixed.set(segment, next)
          node = next
        }
      }
      if (node.here.has(method)) throw new Error(`two routes for ${method} ${path}`)
      node.here.set(method, { entry, names })
    },
    find(method, path) {
      const known = remembered.get(method)
      const again = known?.get(path)
      if (again) return again
      const found = look(method, path)
      if (known && 'params' in found) known.set(path, found)
      return found
    },
  }
}

function newNode<T>(): Node<T> {
  return { fixed: new Map(), here: new Map() }
}

/** A fixed segment is preferred to a parameter; where its branch does not take the method, the parameter's may. */
function walk<T>(
  node: Node<T>,
  segments: readonly string[],
  depth: number,
  method: string,
  values: string[],
): { entry: T; names: readonly string[] } | undefined {
  if (depth === segments.length) return node.here.get(method)
  const segment = segments[depth]!
  const fixed = node.fixed.get(segment)
  const found = fixed && walk(fixed, segments, depth + 1, method, values)
  if (found || !node.any || segment === '') return found
  values.push(segment)
  const through = walk(node.any, segments, depth + 1, method, values)
  if (!through) values.pop()
  return through
}

function methodsOf<T>(node: Node<T>, segments: readonly string[], depth: number): string[] {
  if (depth === segments.length) return [...node.here.keys()]
  const segment = segments[depth]!
  const fixed = node.fixed.get(segment)
  const here = fixed ? methodsOf(fixed, segments, depth + 1) : []
  const any = node.any && segment !== '' ? methodsOf(node.any, segments, depth + 1) : []
  return [...new Set([...here, ...any])]
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
