/** Accepts sockets of visitors: checks their token and limits the connections of one address. */
import { closeCodes } from '../../core/channel/socketcodec.js'
import { invalid, type Refusal, refuse } from '../../core/errors.js'
import { budgets, webchat as limits } from '../../core/limits/index.js'
import type { SocketAcceptor, SocketListener, SocketRequest } from '../http/websocket.js'
import { shapeOf } from '../ratelimit/bucket.js'
import { BucketTable, monotonicClock } from '../ratelimit/local.js'
import { parseChatName } from './chat.js'
import { type SessionOptions, WebchatSession } from './session.js'
import type { VisitorTokens } from './tokens.js'

export interface AdmissionOptions extends SessionOptions {
  readonly tokens: VisitorTokens
}

const badTokenShape = shapeOf(budgets.webchatBadTokens)
const socketPath = /^\/v4\/webchat\/([^/]+)$/

export function createSocketAdmission(options: AdmissionOptions): SocketAcceptor & { count(): number } {
  const { tokens } = options
  const perAddress = new Map<string, number>()
  const badTokens = new BucketTable(monotonicClock)
  let count = 0

  function countConnection(address: string): void {
    count++
    perAddress.set(address, (perAddress.get(address) ?? 0) + 1)
  }

  function releaseConnection(address: string): void {
    count--
    const remaining = perAddress.get(address)! - 1
    if (remaining > 0) perAddress.set(address, remaining)
    else perAddress.delete(address)
  }

  function accept({ path, query, origin, remoteAddress }: SocketRequest): SocketListener | Refusal {
    const agentRef = parseChatName(socketPath.exec(path)?.[1] ?? '')
    if (!agentRef) return refuse('resource.not_found')
    const params = new URLSearchParams(query)
    const after = params.get('after') ?? ''
    if (!/^\d{0,15}$/.test(after)) return invalid('after', 'must be a cursor', { status: 400 })
    if ((perAddress.get(remoteAddress) ?? 0) >= limits.socketsPerAddress) return refuse('request.rate_limited')
    const visitor = tokens.verify(params.get('token') ?? '', agentRef)
    if (!visitor) {
      const { allowed } = badTokens.spend(badTokenShape, 'webchatBadTokens', remoteAddress)
      return allowed ? rejectingListener(options.onClose) : refuse('request.rate_limited')
    }
    const request = {
      origin,
      address: remoteAddress,
      after: after === '' ? undefined : Number(after),
      releaseConnection,
    }
    const session = new WebchatSession(options, visitor, request)
    countConnection(remoteAddress)
    return session
  }

  return { limits, handles: (path) => socketPath.test(path), accept, count: () => count }
}

/** A page with a bad token gets the close code and nothing else. */
function rejectingListener(closed: AdmissionOptions['onClose']): SocketListener {
  return {
    onOpen(socket) {
      closed(closeCodes.badToken)
      socket.close(closeCodes.badToken, 'The token is not good, or no longer.')
    },
    onMessage: () => undefined,
    onDrain: () => undefined,
    onClose: () => undefined,
  }
}
