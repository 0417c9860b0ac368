/** Where pages get the token of their visitor: a new one, or a fresh one for the visitor they had. */
import Type from 'typebox'
import { isRefusal } from '../../core/errors.js'
import { idFromBytes } from '../../core/ids.js'
import { webchat as limits } from '../../core/limits.js'
import type { Directory } from '../conversation/context.js'
import { json, type Route, route } from '../http/route.js'
import { chatPattern, findChat, placeOfChat, wrongOrigin } from './chat.js'
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
    /** Whether the token that was given was good. */
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
        const place = placeOfChat(name)!
        const chat = await findChat(directory, place)
        if (isRefusal(chat)) return chat
        const stopped = wrongOrigin(chat, header('origin'), ownOrigin())
        if (stopped) return stopped
        const known = body?.token === undefined ? undefined : tokens.open(body.token, place)
        const visitorId = known?.visitorId ?? idFromBytes('vis', randomBytes(visitorIdBytes))
        const { token, expiresAt } = tokens.mint({ ...place, visitorId })
        const resumed = known !== undefined
        return json(201, { visitorId, token, expiresAt: new Date(expiresAt).toISOString(), resumed })
      },
    }),
  ]
}
