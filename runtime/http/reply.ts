/** Makes the reply of an answer, of a refusal, and of a path or method that nobody declared. */
import { type Refusal, refuse } from '../../core/errors.js'
import { http } from '../../core/limits.js'
import { notFound } from './admit.js'
import type { Reply } from './exchange.js'
import { writeRefusal } from './problem.js'
import type { Ready } from './ready.js'
import type { Answer, ErrorStyle } from './route.js'
import { jsonInSlices } from './slices.js'

const jsonType = 'application/json; charset=utf-8'

export function answered(answer: Answer, entry: Ready, requestId: string, cors: Reply['cors']): Reply {
  entry.checkAnswer?.(answer)
  const { status, json, headers, kept } = answer
  if (json === undefined) {
    const { body, bodyBytes } = answer
    return { status, requestId, type: body && answer.type, body, bodyBytes, headers, cors, close: undefined }
  }
  if (answer.inSlices) {
    const body = jsonInSlices(json)
    return { status, requestId, type: jsonType, body, bodyBytes: undefined, headers, cors, close: undefined }
  }
  const body = kept?.text ?? (entry.serialize.get(status) ?? JSON.stringify)(json)
  if (kept && body.length <= http.keptTextChars) kept.text = body
  return { status, requestId, type: jsonType, body, bodyBytes: undefined, headers, cors, close: undefined }
}

export function refused(refusal: Refusal, style: ErrorStyle, requestId: string, cors: Reply['cors']): Reply {
  const { status, type, body, headers } = writeRefusal(refusal, style)
  const close = status === 413 ? true : undefined
  return { status, requestId, type, body, bodyBytes: undefined, headers, cors, close }
}

export function missed(
  method: string,
  allow: readonly string[],
  style: ErrorStyle,
  requestId: string,
  cors: Reply['cors'],
): Reply {
  if (allow.length === 0) return refused(notFound, style, requestId, cors)
  const all = [...allow, ...(allow.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ')
  if (method === 'OPTIONS') return { status: 204, requestId, headers: { allow: all }, cors }
  return refused(refuse('request.method_not_allowed', { headers: { allow: all } }), style, requestId, cors)
}
