/** The reply of an answer, of a refusal, and of a path or method that no route declares. */
import { type Refusal, refuse } from '../../core/errors.js'
import { http } from '../../core/limits/index.js'
import { notFound } from './authorize.js'
import type { CompiledRoute } from './compiledroute.js'
import type { Reply } from './exchange.js'
import { writeRefusal } from './problem.js'
import type { Answer, ErrorStyle } from './route.js'
import { jsonInSlices } from './slices.js'

const jsonType = 'application/json; charset=utf-8'

export function answerReply(answer: Answer, compiled: CompiledRoute, requestId: string, cors: Reply['cors']): Reply {
  compiled.checkAnswer?.(answer)
  const { status, json, headers, cachedText } = answer
  if (json === undefined) {
    const { body, bodyBytes } = answer
    return { status, requestId, type: body && answer.type, body, bodyBytes, headers, cors, close: undefined }
  }
  if (answer.inSlices) {
    const body = jsonInSlices(json)
    return { status, requestId, type: jsonType, body, bodyBytes: undefined, headers, cors, close: undefined }
  }
  const body = cachedText?.text ?? (compiled.serialize.get(status) ?? JSON.stringify)(json)
  if (cachedText && body.length <= http.cachedTextChars) cachedText.text = body
  return { status, requestId, type: jsonType, body, bodyBytes: undefined, headers, cors, close: undefined }
}

export function refusalReply(refusal: Refusal, style: ErrorStyle, requestId: string, cors: Reply['cors']): Reply {
  const { status, type, body, headers } = writeRefusal(refusal, style)
  const close = status === 413 ? true : undefined
  return { status, requestId, type, body, bodyBytes: undefined, headers, cors, close }
}

export function noMatchReply(
  method: string,
  allow: readonly string[],
  style: ErrorStyle,
  requestId: string,
  cors: Reply['cors'],
): Reply {
  if (allow.length === 0) return refusalReply(notFound, style, requestId, cors)
  const methods = [...allow, ...(allow.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ')
  if (method === 'OPTIONS') return { status: 204, requestId, headers: { allow: methods }, cors }
  return refusalReply(refuse('request.method_not_allowed', { headers: { allow: methods } }), style, requestId, cors)
}
