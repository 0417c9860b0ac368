/** Reads and checks what a caller sent: path parameters, query and body, or the refusal that names what is wrong. */
import { type FieldError, isRefusal, type Refusal, refuse } from '../../core/errors.js'
import { pathIdPattern } from '../../core/ids.js'
import { http } from '../../core/limits.js'
import { readJson } from './json.js'
import { readQuery } from './query.js'
import type { Ready } from './ready.js'

export interface Input {
  readonly query: Record<string, unknown>
  readonly body: unknown
}

const pathId = new RegExp(pathIdPattern)
const noQuery: Record<string, unknown> = Object.freeze({})

/** An id that cannot exist names nothing: it is not found, and never a mistake of the caller's. */
export function takesParams(entry: Ready, params: Readonly<Record<string, string>>): boolean {
  if (entry.checkParams) return entry.checkParams(params) === undefined
  return Object.values(params).every((value) => pathId.test(value))
}

export function readInput(
  entry: Ready,
  queryText: string,
  bytes: Buffer | undefined,
  contentType: string,
): Input | Refusal {
  const query = readQueryOf(entry, queryText)
  if (isRefusal(query)) return query
  if (!bytes) return { query, body: undefined }
  const body = readBody(entry, bytes, contentType)
  return isRefusal(body) ? body : { query, body: body.value }
}

function readQueryOf(entry: Ready, text: string): Record<string, unknown> | Refusal {
  if (entry.route.rawQuery || (text === '' && !entry.checkQuery)) return noQuery
  const read = readQuery(text, entry.route.query)
  const { malformedStatus } = entry.route
  if ('problem' in read) return invalidFields([read.problem], malformedStatus)
  const wrong = entry.checkQuery?.(read.value)
  return wrong ? invalidFields(wrong, malformedStatus) : read.value
}

function readBody(entry: Ready, bytes: Buffer, contentType: string): { value: unknown } | Refusal {
  const { route } = entry
  if (bytes.length === 0 && route.bodyOptional) return { value: undefined }
  if (contentType !== 'application/json' || !route.body) {
    const media = contentType.split(';', 1)[0]!.trim().toLowerCase()
    if (route.rawTypes?.some((type) => type === media || type === anyType)) return { value: bytes }
    if (!route.body || !isJson(media, contentType)) return unsupported(entry)
  }
  if (route.rawOverBytes !== undefined && bytes.length > route.rawOverBytes) return { value: bytes }
  const most = route.bodyDepth === undefined ? http : { ...http, jsonDepth: route.bodyDepth }
  const read = readJson(bytes, most, route.judgesCharacters)
  const wrong = 'problem' in read ? [read.problem] : entry.checkBody!(read.value, bytes.length)
  if (wrong) return invalidFields(wrong, route.malformedStatus)
  return read as { value: unknown }
}

/** Among raw types: whatever comes, JSON included, is bytes. */
const anyType = '*/*'

/** A body that does not say what it is counts as JSON; JSON in another charset than UTF-8 does not exist. */
function isJson(media: string, contentType: string): boolean {
  const named = media === '' || media === 'application/json' || /^application\/[\w.-]+\+json$/.test(media)
  return named && !/charset\s*=\s*"?(?!utf-?8)/i.test(contentType)
}

function unsupported({ route }: Ready): Refusal {
  const read = [...(route.body ? ['application/json'] : []), ...(route.rawTypes ?? [])].join(', ')
  return refuse('request.unsupported_media_type', { detail: `This reads ${read}.` })
}

function invalidFields(errors: readonly FieldError[], status?: number): Refusal {
  const first = errors[0]!
  return refuse('request.invalid', { status, detail: `${first.field}: ${first.message}`, errors })
}
