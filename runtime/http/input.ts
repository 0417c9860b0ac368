/** Reads and validates path parameters, query and body of a call. A refusal names the fields that are wrong. */
import { type FieldError, isRefusal, type Refusal, refuse } from '../../core/errors.js'
import { pathIdPattern } from '../../core/ids.js'
import { http } from '../../core/limits/index.js'
import type { CompiledRoute } from './compiledroute.js'
import { readJson } from './json.js'
import { readQuery } from './query.js'

export interface Input {
  readonly query: Record<string, unknown>
  readonly body: unknown
}

const pathId = new RegExp(pathIdPattern)
const noQuery: Record<string, unknown> = Object.freeze({})

/** False for an id that cannot exist. The call is then answered as not found and not as invalid. */
export function hasValidParams(compiled: CompiledRoute, params: Readonly<Record<string, string>>): boolean {
  if (compiled.checkParams) return compiled.checkParams(params) === undefined
  return Object.values(params).every((value) => pathId.test(value))
}

export function readInput(
  compiled: CompiledRoute,
  queryText: string,
  bytes: Buffer | undefined,
  contentType: string,
): Input | Refusal {
  const query = readQueryOf(compiled, queryText)
  if (isRefusal(query)) return query
  if (!bytes) return { query, body: undefined }
  const body = readBody(compiled, bytes, contentType)
  return isRefusal(body) ? body : { query, body: body.value }
}

function readQueryOf(compiled: CompiledRoute, text: string): Record<string, unknown> | Refusal {
  if (compiled.route.rawQuery || (text === '' && !compiled.checkQuery)) return noQuery
  const read = readQuery(text, compiled.route.query)
  const { malformedStatus } = compiled.route
  if ('problem' in read) return invalidFields([read.problem], malformedStatus)
  const errors = compiled.checkQuery?.(read.value)
  return errors ? invalidFields(errors, malformedStatus) : read.value
}

function readBody(compiled: CompiledRoute, bytes: Buffer, contentType: string): { value: unknown } | Refusal {
  const { route } = compiled
  if (bytes.length === 0 && route.bodyOptional) return { value: undefined }
  if (contentType !== 'application/json' || !route.body) {
    const media = contentType.split(';', 1)[0]!.trim().toLowerCase()
    if (route.rawTypes?.some((type) => type === media || type === anyType)) return { value: bytes }
    if (!route.body || !isJson(media, contentType)) return unsupportedMediaType(compiled)
  }
  if (route.rawOverBytes !== undefined && bytes.length > route.rawOverBytes) return { value: bytes }
  const limits = route.bodyDepth === undefined ? http : { ...http, jsonDepth: route.bodyDepth }
  const read = readJson(bytes, limits, route.checksCharacters)
  const errors = 'problem' in read ? [read.problem] : compiled.checkBody!(read.value, bytes.length)
  if (errors) return invalidFields(errors, route.malformedStatus)
  return read as { value: unknown }
}

/** Among the raw types of a route: every body, JSON included, is passed on as bytes. */
const anyType = '*/*'

/** A body without a content type counts as JSON. JSON has no charset but UTF-8. */
function isJson(media: string, contentType: string): boolean {
  const isJsonType = media === '' || media === 'application/json' || /^application\/[\w.-]+\+json$/.test(media)
  return isJsonType && !/charset\s*=\s*"?(?!utf-?8)/i.test(contentType)
}

function unsupportedMediaType({ route }: CompiledRoute): Refusal {
  const read = [...(route.body ? ['application/json'] : []), ...(route.rawTypes ?? [])].join(', ')
  return refuse('request.unsupported_media_type', { detail: `This reads ${read}.` })
}

function invalidFields(errors: readonly FieldError[], status?: number): Refusal {
  const first = errors[0]!
  return refuse('request.invalid', { status, detail: `${first.field}: ${first.message}`, errors })
}
