/** The errors of a route in its document: those that its handler declares and those that the pipeline implies. */
import Type, { type TSchema } from 'typebox'
import type { Access, Scope } from '../../core/access.js'
import { type ErrorCode, errorTable, refuse } from '../../core/errors.js'
import { type Components, type JsonObject, nameFrom } from './openapi-schemas.js'
import { writeRefusal } from './problem.js'
import type { ErrorStyle, Route } from './route.js'

interface ImpliedError {
  readonly code: ErrorCode
  readonly when: (route: Route) => boolean
  /** Absent: the status of the error table. */
  readonly status?: number
}

/** The scopes of which a caller needs one; empty for most kinds of access. */
export function scopesOf(access: Access): readonly Scope[] {
  return ('scopes' in access && access.scopes) || []
}

const readsBody = (route: Route) => Boolean(route.body ?? route.rawTypes)

/** The errors of each step of the pipeline, in the order of the steps. */
const impliedErrors: readonly ImpliedError[] = [
  { code: 'auth.unauthenticated', when: ({ access }) => access.who !== 'public' },
  { code: 'auth.forbidden', when: ({ access }) => access.who === 'emulator' || access.who === 'sysop' },
  { code: 'auth.forbidden', when: ({ access }) => access.who === 'member' && access.role !== 'viewer' },
  { code: 'auth.scope_missing', when: ({ access }) => scopesOf(access).length > 0 },
  { code: 'auth.emulator_grant.forbidden', when: ({ access }) => ['any', 'member', 'sysop'].includes(access.who) },
  { code: 'resource.not_found', when: ({ path }) => path.includes('{') },
  { code: 'request.timeout', when: readsBody },
  { code: 'request.too_large', when: readsBody },
  { code: 'request.unsupported_media_type', when: readsBody },
  { code: 'request.rate_limited', when: ({ budget, addressBudget }) => (budget ?? addressBudget) !== undefined },
  { code: 'request.invalid', when: ({ malformedStatus }) => malformedStatus !== undefined, status: 400 },
  // Every route refuses query parameters that it does not declare.
  { code: 'request.invalid', when: () => true },
  { code: 'service.failed', when: () => true },
  { code: 'service.unavailable', when: () => true },
]

/** Every error code of a route, by its status. */
export function errorsOf(route: Route): Map<number, readonly ErrorCode[]> {
  const rows = impliedErrors.filter(({ when }) => when(route))
  const declared = (route.errors ?? []).map((code) => ({ code, status: undefined }))
  const byStatus = new Map<number, Set<ErrorCode>>()
  for (const { code, status = errorTable[code].status } of [...rows, ...declared]) {
    byStatus.set(status, (byStatus.get(status) ?? new Set()).add(code))
  }
  const sorted = [...byStatus].sort(([one], [other]) => one - other)
  return new Map(sorted.map(([status, codes]) => [status, [...codes].sort()]))
}

const fieldErrors = Type.Array(
  Type.Object({
    field: Type.String({ description: 'Path of the field, as in `things[1].name`.' }),
    message: Type.String(),
    code: Type.Optional(Type.String()),
  }),
)

/** Refusals may have further members that their route declares, so no schema is closed. */
export const errorBodies: Readonly<Record<ErrorStyle, TSchema>> = {
  problem: Type.Object(
    {
      status: Type.Integer(),
      code: Type.String({ description: 'Stable: programs go by this.' }),
      title: Type.String({ description: 'What the code means, for people.' }),
      detail: Type.Optional(Type.String({ description: 'What was wrong this time.' })),
      errors: Type.Optional(fieldErrors),
    },
    { title: 'Problem' },
  ),
  classic: Type.Object({ statusCode: Type.Integer(), message: Type.String() }, { title: 'ClassicError' }),
  gateway: Type.Object(
    { message: Type.String(), code: Type.Optional(Type.String()), errors: Type.Optional(fieldErrors) },
    { title: 'GatewayError' },
  ),
}

const retryAfter = { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } }
const headersOf: Readonly<Partial<Record<ErrorCode, JsonObject>>> = {
  'request.rate_limited': retryAfter,
  'service.unavailable': retryAfter,
}

export interface NamedResponse {
  readonly name: string
  readonly response: JsonObject
}

/** One response for all codes of a status. Its name lists them, so routes with the same codes share it. */
export function errorResponse(
  status: number,
  codes: readonly ErrorCode[],
  style: ErrorStyle,
  components: Components,
  rateLimits?: JsonObject,
): NamedResponse {
  const headers = Object.assign({}, rateLimits, ...codes.map((code) => headersOf[code]))
  const examples: Record<string, JsonObject> = {}
  let type = ''
  for (const code of codes) {
    const errorReply = writeRefusal(refuse(code, { status }), style)
    type = errorReply.type.split(';', 1)[0]!
    examples[code] = { value: JSON.parse(errorReply.body) as JsonObject }
  }
  const name = `${nameFrom(style)}${status}${codes.map(nameFrom).join('Or')}${rateLimits ? 'Limited' : ''}`
  const lines = codes.map((code) => `\`${code}\`: ${errorTable[code].title}.`)
  const description = lines.length === 1 ? lines[0]! : lines.map((line) => `- ${line}`).join('\n')
  return {
    name,
    response: {
      description,
      ...(Object.keys(headers).length > 0 && { headers }),
      content: { [type]: { schema: components.write(errorBodies[style]), examples } },
    },
  }
}
