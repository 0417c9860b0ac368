/**
 * The worst bodies for every route that takes one: accepted and refused, each as long as the route reads. The corpus is
 * built from the route tables, so it includes every new route.
 */
import { http } from '../../../core/limits/index.js'
import type { Plane, Route } from '../../../runtime/http/route.js'

export interface HostileBody {
  readonly plane: Plane
  readonly method: string
  /** As declared, with its parameters in braces. */
  readonly path: string
  readonly type: string
  readonly kind: Kind
  readonly bytes: number
}

export type Kind = keyof typeof kinds

const repeatedUnit = (head: string, unit: string, tail: string, bytes: number) =>
  head + unit.repeat(Math.max(1, Math.floor((bytes - head.length - tail.length) / unit.length))) + tail

/** This many distinct units. */
function distinctUnits(head: string, unit: (nth: number) => string, tail: string, bytes: number): string {
  const units: string[] = []
  for (let nth = 0, length = head.length + tail.length; ; nth++) {
    const next = unit(nth)
    length += next.length
    if (length > bytes) break
    units.push(next)
  }
  return head + units.join('') + tail
}

const nested = (open: string, close: string, bytes: number) => {
  const depth = Math.floor(bytes / (open.length + close.length))
  return open.repeat(depth) + close.repeat(depth)
}

/** The writers of each kind of body, up to this many bytes. */
export const kinds = {
  brackets: (bytes: number) => nested('[', ']', bytes),
  'nested objects': (bytes: number) => nested('{"a":', '}', bytes),
  'different names': (bytes: number) => distinctUnits('{', (nth) => `"k${nth}":1,`, '"z":1}', bytes),
  'one name': (bytes: number) => repeatedUnit('{', '"a":1,', '"a":1}', bytes),
  values: (bytes: number) => repeatedUnit('[', '0,', '0]', bytes),
  'small objects': (bytes: number) => repeatedUnit('{"data":[', '{"a":1},', '{}]}', bytes),
  'escaped text': (bytes: number) => repeatedUnit('{"text":"', '\\u00e9', '"}', bytes),
  'colons behind a text': (bytes: number) => {
    const half = Math.floor(bytes / 2) - 1
    return `"${'a'.repeat(half)}"${':'.repeat(half)}`
  },
  'markers in text': (bytes: number) => repeatedUnit('{"text":"', '[[*_', '"}', bytes),
  'form of bad escapes': (bytes: number) => `${repeatedUnit('', '%=%&', '', bytes - 2)}é`,
  'form of plus signs': (bytes: number) => repeatedUnit('payload=', '+', '', bytes),
  'YAML names': (bytes: number) => distinctUnits('', (nth) => `k${nth}: 1\n`, '', bytes),
  'YAML names of a thing': (bytes: number) =>
    distinctUnits('things:\n  - id: a\n    name: b\n    metadata:\n', (nth) => `      k${nth}: v\n`, '', bytes),
  'YAML flow': (bytes: number) => repeatedUnit('{', 'a,', 'a}', bytes),
  'YAML dashes': (bytes: number) => repeatedUnit('', '- a\n', '', bytes),
  'YAML comments': (bytes: number) => repeatedUnit('', '#\n', '', bytes),
  'HTML tags': (bytes: number) => repeatedUnit('', '<div><a href=x>', '', bytes),
  'HTML entities': (bytes: number) => repeatedUnit('<p>', '&amp', '', bytes),
  'words of one letter': (bytes: number) => repeatedUnit('', 'a b\n\n', '', bytes),
  'CSV quotes': (bytes: number) => repeatedUnit('email,firstName\n', '"a""b",c\n', '', bytes),
  'CSV commas': (bytes: number) => repeatedUnit('email,', ',', '\n', bytes),
  'CSV rows': (bytes: number) => distinctUnits('email\n', (nth) => `p${nth}@a.example\n`, '', bytes),
} as const

const json: readonly Kind[] = [
  'brackets',
  'nested objects',
  'different names',
  'one name',
  'values',
  'small objects',
  'escaped text',
  'colons behind a text',
  'markers in text',
]
const byType: readonly (readonly [type: RegExp, kinds: readonly Kind[]])[] = [
  [
    /^application\/yaml$/,
    ['YAML names', 'YAML names of a thing', 'YAML flow', 'YAML dashes', 'YAML comments', 'brackets'],
  ],
  [/form-urlencoded/, ['form of bad escapes', 'form of plus signs']],
  [/html/, ['HTML tags', 'HTML entities']],
  [/^text\/(plain|markdown)/, ['words of one letter', 'markers in text']],
  [/^text\/csv/, ['CSV quotes', 'CSV commas', 'CSV rows']],
  [/^\*\/\*$/, ['form of bad escapes', 'form of plus signs', 'brackets', 'different names']],
]

/** A worker thread reads these texts; longer ones would only lengthen the run. */
const maxRawBytes = 4 * 1024 ** 2

export function hasBody({ body, rawTypes }: Route): boolean {
  return body !== undefined || rawTypes !== undefined
}

/** Every fitting kind of body, for every route that takes one. */
export function corpusOf(routes: readonly Route[]): HostileBody[] {
  return routes.filter(hasBody).flatMap((route) => {
    const { plane, method, path, bodyLimitBytes: bytes = http.bodyBytes } = route
    const common = { plane, method, path, bytes }
    const asJson = route.body ? json.map((kind) => ({ ...common, type: 'application/json', kind })) : []
    const raw = (route.rawTypes ?? []).flatMap((type) =>
      (byType.find(([pattern]) => pattern.test(type))?.[1] ?? []).map((kind) => ({
        ...common,
        bytes: Math.min(bytes, maxRawBytes),
        type,
        kind,
      })),
    )
    return [...asJson, ...raw]
  })
}

export function bodyOf({ kind, bytes }: Pick<HostileBody, 'kind' | 'bytes'>): Buffer {
  return Buffer.from(kinds[kind](bytes))
}

export function nameOf({ method, path, kind, bytes }: HostileBody): string {
  return `${method} ${path}, ${kind}, ${bytes} bytes`
}
