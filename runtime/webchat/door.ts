/** Lets pages of visitors in: who they are, and how many come from one address. */
import { closeCodes } from '../../core/channel/live.js'
import { invalid, type Refusal, refuse } from '../../core/errors.js'
import { budgets, webchat as limits } from '../../core/limits.js'
import type { SocketAcceptor, SocketListener, SocketRequest } from '../http/websocket.js'
import { shapeOf } from '../limits/bucket.js'
import { Ledger, monotonicClock } from '../limits/local.js'
import { placeOfChat } from './chat.js'
import type { VisitorTokens } from './tokens.js'
import { Visit, type VisitOptions } from './visit.js'

export interface DoorOptions extends VisitOptions {
  readonly tokens: VisitorTokens
}

const badTokenShape = shapeOf(budgets.webchatBadTokens)
const socketPath = /^\/v4\/webchat\/([^/]+)$/

export function openSocketDoor(options: DoorOptions): SocketAcceptor & { count(): number } {
  const { tokens } = options
  const perAddress = new Map<string, number>()
  const badTokens = new Ledger(monotonicClock)
  let count = 0

  function enter(address: string): void {
    count++
    perAddress.set(address, (perAddress.get(address) ?? 0) + 1)
  }

  function leave(address: string): void {
    count--
    const left = perAddress.get(address)! - 1
    if (left > 0) perAddress.set(address, left)
    else perAddress.delete(address)
  }

  function accept({ path, query, origin, remoteAddress }: SocketRequest): SocketListener | Refusal {
    const place = placeOfChat(socketPath.exec(path)?.[1] ?? '')
    if (!place) return refuse('resource.not_found')
    const asked = new URLSearchParams(query)
    const after = asked.get('after') ?? ''
    if (!/^\d{0,15}$/.test(after)) return invalid('after', 'must be a cursor', { status: 400 })
    if ((perAddress.get(remoteAddress) ?? 0) >= limits.socketsPerAddress) return refuse('request.rate_limited')
    const visitor = tokens.open(asked.get('token') ?? '', place)
    if (!visitor) {
      const { allowed } = badTokens.spend(badTokenShape, 'webchatBadTokens', remoteAddress)
      return allowed ? turnedAway(options.closed) : refuse('request.rate_limited')
    }
    const coming = { origin, address: remoteAddress, after: after === '' ? undefined : Number(after), leave }
    const visit = new Visit(options, visitor, coming)
    enter(remoteAddress)
    return visit
  }

  return { limits, handles: (path) => socketPath.test(path), accept, count: () => count }
}

/** Without a good token a page is told so and nothing else. */
function turnedAway(closed: DoorOptions['closed']): SocketListener {
  return {
    opened(socket) {
      closed(closeCodes.badToken)
      socket.close(closeCodes.badToken, 'The token is not good, or no longer.')
    },
    received: () => undefined,
    drained: () => undefined,
    closed: () => undefined,
  }
}
