/** Route that gives pages the token of their visitor: a new visitor, or a fresh token of a known one. */
import Type from 'typebox'
import { isRefusal } from '../../core/errors.js'
import { idFromBytes } from '../../core/ids.js'
import { webchat as limits } from '../../core/limits/index.js'
import type { Directory } from '../conversation/context.js'
import { json, type Route, route } from '../http/route.js'
import { chatPattern, findChat, originError, parseChatName } from './chat.js'
import type { VisitorTokens } from './tokens.js'

export interface VisitorsOptions {
  readonly directory: Directory
  readonly tokens: VisitorTokens
  readonly ownOrigin: () => string
  readonly randomBytes: (count: number) => Uint8Array
}

const closed = { additionalProperties: false } as const
const VisitorBody = Type.Object({ token: Type.Optional(Type.String({ maxLength: limits.tokenChars })) }, closed)
const VisitorView = Type.Object(
  {
    visitorId: Type.String(),
    token: Type.String(),
    expiresAt: Type.String({ format: 'date-time' }),
    /** Was the given token valid? */
    resumed: Type.Boolean(),
  },
  closed,
)

const visitorIdBytes = 20

export function visitorRoutes({ directory, tokens, ownOrigin, randomBytes }: VisitorsOptions): Route[] {
  return [
    route({
      plane: 'gateway',
      method: 'POST',
      path: '/webchat/{agentId}/visitors',
      tag: 'Web chat',
      summary: 'Become a visitor of an agent’s web chat, or go on as the one you were',
      access: { who: 'public' },
      params: Type.Object({ agentId: Type.String({ pattern: chatPattern }) }),
      headers: ['origin'],
      addressBudget: 'webchatVisitors',
      body: VisitorBody,
      bodyOptional: true,
      reply: { 201: VisitorView },
      errors: ['resource.not_found', 'auth.forbidden', 'service.unavailable'],
      async handler({ params: { agentId: name }, body, header }) {
        const agentRef = parseChatName(name)!
        const chat = await findChat(directory, agentRef)
        if (isRefusal(chat)) return chat
        const rejection = originError(chat, header('origin'), ownOrigin())
        if (rejection) return rejection
        const visitor = body?.token === undefined ? undefined : tokens.verify(body.token, agentRef)
        const visitorId = visitor?.visitorId ?? idFromBytes('vis', randomBytes(visitorIdBytes))
        const { token, expiresAt } = tokens.mint({ ...agentRef, visitorId })
        const resumed = visitor !== undefined
        return json(201, { visitorId, token, expiresAt: new Date(expiresAt).toISOString(), resumed })
      },
    }),
  ]
}
