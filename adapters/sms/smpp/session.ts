/**
 * The SMPP session of one binding: binds as a transceiver, reconnects with backoff, and enquires when the connection is
 * silent. The session outlives its connections; it ends on `close` or when its signal aborts.
 */
import type { ConnectContext, ProviderConnection, SendOutcome } from '../../../core/channel/adapter.js'
import { smpp } from '../../../core/limits/index.js'
import { backoffMs } from '../../../core/time.js'
import { withTimeout } from '../../kit/timeout.js'
import type { SmppAuth } from './auth.js'
import type { Pdu } from './codec.js'
import { type Connection, type ConnectionLimits, openConnection } from './connection.js'
import { type DeliverLimits, openDeliveries } from './deliver.js'
import { createMessageIds } from './ids.js'
import { describeBindRefusal, statuses } from './refusals.js'
import { createSubmitQueue, type Submit, type SubmitLimits } from './submit.js'

export interface SmppSession extends ProviderConnection {
  /** Never rejects. */
  submit(submit: Submit): Promise<SendOutcome>
}

export interface SessionLimits extends ConnectionLimits, DeliverLimits, SubmitLimits {
  readonly bindMs: number
  readonly reconnectMs: number
  readonly reconnectMaxMs: number
  readonly stableMs: number
  readonly enquireEveryMs: number
  readonly enquireMs: number
  readonly retainedIds: number
  readonly closeMs: number
  readonly unbindMs: number
}

export interface SessionOptions {
  readonly limits?: SessionLimits
  /** A number from 0 up to but not including 1. */
  readonly random?: () => number
  /** A certificate authority in place of the default ones. */
  readonly ca?: string
}

/** Why the session is down, in words for operators. */
interface DownReason {
  readonly problem: string
  readonly needsOperator: boolean
}

const version34 = 0x34

export function openSession(
  { auth, report, signal, addressOf }: ConnectContext<SmppAuth>,
  { limits: baseLimits = smpp, random = Math.random, ca }: SessionOptions = {},
): SmppSession {
  const { host, port, tls = false, windowSize: windowSubmits, ratePerSecond } = auth
  const limits = { ...baseLimits, ...(windowSubmits && { windowSubmits }), ...(ratePerSecond && { ratePerSecond }) }
  const ids = createMessageIds(limits.retainedIds)
  const submitQueue = createSubmitQueue(limits, ids, random)
  const deliveries = openDeliveries(limits, ids, report)
  let connection: Connection | undefined
  let boundAt: number | undefined
  let problem: DownReason | undefined = pendingReason('being opened')
  /** The last refused bind; cleared by a successful one. */
  let bindFailure: DownReason | undefined
  let attempts = 0
  let closing: Promise<void> | undefined
  let reconnectTimer: NodeJS.Timeout | undefined
  let enquireTimer: NodeJS.Timeout | undefined
  let resolveClosed: (() => void) | undefined

  async function open(): Promise<void> {
    const address = await Promise.resolve(addressOf(host, port)).catch(() => undefined)
    if (closing) return
    if (address === undefined) return onClose('The host of the message center has no address that may be connected to.')
    const endpoint = { address, host, port, tls, ...(ca && { ca }) }
    try {
      connection = openConnection(endpoint, limits, { onOpen: bind, onRequest, onClose })
    } catch {
      onClose('The address of the message center cannot be connected to.')
    }
  }

  function bind(): void {
    const { systemId: system_id, password, systemType: system_type = '' } = auth
    const fields = { system_id, password, system_type, interface_version: version34 }
    connection?.request('bind_transceiver', fields, limits.bindMs, (answer) => {
      if (typeof answer === 'object' && answer.command_status === statuses.ok) return onBound()
      if (typeof answer === 'object') bindFailure = describeBindRefusal(answer.command_status)
      connection?.end()
    })
  }

  function onBound(): void {
    if (closing || !connection) return
    problem = undefined
    bindFailure = undefined
    boundAt = performance.now()
    submitQueue.attach(connection)
    enquireTimer = setInterval(enquire, limits.enquireEveryMs / 2)
  }

  /** Skipped when a PDU arrived recently. */
  function enquire(): void {
    const idle = connection
    if (!idle || performance.now() - idle.lastReceivedAt() < limits.enquireEveryMs) return
    idle.request('enquire_link', {}, limits.enquireMs, (answer) => {
      if (answer === 'late') idle.end()
    })
  }

  function onRequest(pdu: Pdu): void {
    const from = connection
    if (!from) return
    switch (pdu.command) {
      case 'deliver_sm':
      case 'data_sm':
        deliveries.accept(pdu, (status) => from.answer(pdu, status))
        break
      case 'enquire_link':
        from.answer(pdu, statuses.ok)
        break
      case 'unbind':
        from.answer(pdu, statuses.ok)
        from.end()
        break
      case 'alert_notification':
      case 'outbind':
        break
      default:
        from.refuse(pdu)
    }
  }

  function onClose(reason: string): void {
    clearInterval(enquireTimer)
    const upMs = boundAt === undefined ? 0 : performance.now() - boundAt
    problem = bindFailure ?? { problem: reason, needsOperator: false }
    connection = undefined
    boundAt = undefined
    submitQueue.detach()
    deliveries.connectionLost()
    if (closing) return resolveClosed?.()
    attempts = upMs >= limits.stableMs ? 1 : attempts + 1
    const { reconnectMs: firstMs, reconnectMaxMs: mostMs, jitterShare } = limits
    reconnectTimer = setTimeout(open, backoffMs(attempts, { firstMs, mostMs, jitterShare }, random()))
  }

  async function shutdown(): Promise<void> {
    problem = pendingReason('being closed')
    bindFailure = undefined
    clearTimeout(reconnectTimer)
    clearInterval(enquireTimer)
    signal.removeEventListener('abort', close)
    submitQueue.detach()
    await withTimeout(limits.closeMs, Promise.all([submitQueue.whenIdle(), deliveries.close()]), undefined)
    const last = connection
    if (!last) return
    const closedPromise = new Promise<void>((resolve) => {
      resolveClosed = resolve
    })
    if (boundAt === undefined) last.end()
    else last.request('unbind', {}, limits.unbindMs, () => last.end())
    await closedPromise
  }

  function close(): Promise<void> {
    closing ??= shutdown()
    return closing
  }

  async function submit(request: Submit): Promise<SendOutcome> {
    if (!problem?.needsOperator) return submitQueue.submit(request)
    const detail = problem.problem
    return { kind: 'refused', reason: 'sendFailed', detail, retry: 'otherChannel', needsOperator: true }
  }

  void open()
  if (signal.aborted) void close()
  else signal.addEventListener('abort', close, { once: true })
  return { problem: () => problem?.problem, close, submit }
}

function pendingReason(state: string): DownReason {
  return { problem: `The line is ${state}.`, needsOperator: false }
}
