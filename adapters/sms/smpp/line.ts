/**
 * The line of one binding to its message center: bound as a transceiver, opened again whenever it is lost, asked whether it
 * is there when it is silent. It outlives its connections, and ends when it is closed or nothing may go out any more.
 */
import type { Connecting, Line, SendOutcome } from '../../../core/channel/adapter.js'
import { smpp } from '../../../core/limits.js'
import { backoffMs } from '../../../core/time.js'
import { withTimeout } from '../../kit/timeout.js'
import { type ArrivalLimits, openArrivals } from './arrivals.js'
import type { SmppAuth } from './auth.js'
import { type Connection, type ConnectionLimits, openConnection } from './connection.js'
import { openIds } from './ids.js'
import type { Unit } from './library.js'
import { bindTrouble, statuses } from './refusals.js'
import { openSubmits, type Submit, type SubmitLimits } from './submits.js'

export interface SmppLine extends Line {
  /** Never rejects. */
  submit(submit: Submit): Promise<SendOutcome>
}

export interface LineLimits extends ConnectionLimits, ArrivalLimits, SubmitLimits {
  readonly bindMs: number
  readonly reconnectMs: number
  readonly reconnectMaxMs: number
  readonly steadyMs: number
  readonly enquireEveryMs: number
  readonly enquireMs: number
  readonly idsKept: number
  readonly closeMs: number
  readonly unbindMs: number
}

export interface LineSetting {
  readonly limits?: LineLimits
  /** From 0 up to 1. */
  readonly chance?: () => number
  /** Whom else to believe than the authorities that everybody does. */
  readonly ca?: string
}

/** Why it is down, in words for operators. */
interface Trouble {
  readonly trouble: string
  readonly needsOperator: boolean
}

const version34 = 0x34

export function openLine(
  { auth, tell, signal, addressOf }: Connecting<SmppAuth>,
  { limits: given = smpp, chance = Math.random, ca }: LineSetting = {},
): SmppLine {
  const { host, port, tls = false, windowSize: windowSubmits, ratePerSecond } = auth
  const limits = { ...given, ...(windowSubmits && { windowSubmits }), ...(ratePerSecond && { ratePerSecond }) }
  const ids = openIds(limits.idsKept)
  const submits = openSubmits(limits, ids, chance)
  const arrivals = openArrivals(limits, ids, tell)
  let connection: Connection | undefined
  let boundAt: number | undefined
  let trouble: Trouble | undefined = waitsFor('being opened')
  /** Why the message center last would not have us, as long as it has not. */
  let unwelcome: Trouble | undefined
  let tries = 0
  let closing: Promise<void> | undefined
  let again: NodeJS.Timeout | undefined
  let watch: NodeJS.Timeout | undefined
  let whenClosed: (() => void) | undefined

  async function open(): Promise<void> {
    const address = await Promise.resolve(addressOf(host, port)).catch(() => undefined)
    if (closing) return
    if (address === undefined) return closed('The host of the message center has no address that may be connected to.')
    const where = { address, host, port, tls, ...(ca && { ca }) }
    try {
      connection = openConnection(where, limits, { opened: bind, asked, closed })
    } catch {
      closed('The address of the message center cannot be connected to.')
    }
  }

  function bind(): void {
    const { systemId: system_id, password, systemType: system_type = '' } = auth
    const fields = { system_id, password, system_type, interface_version: version34 }
    connection?.ask('bind_transceiver', fields, limits.bindMs, (answer) => {
      if (typeof answer === 'object' && answer.command_status === statuses.ok) return bound()
      if (typeof answer === 'object') unwelcome = bindTrouble(answer.command_status)
      connection?.end()
    })
  }

  function bound(): void {
    if (closing || !connection) return
    trouble = undefined
    unwelcome = undefined
    boundAt = performance.now()
    submits.begin(connection)
    watch = setInterval(enquire, limits.enquireEveryMs / 2)
  }

  /** A line on which something was heard a moment ago is there. */
  function enquire(): void {
    const silent = connection
    if (!silent || performance.now() - silent.heardAt() < limits.enquireEveryMs) return
    silent.ask('enquire_link', {}, limits.enquireMs, (answer) => {
      if (answer === 'late') silent.end()
    })
  }

  function asked(unit: Unit): void {
    const from = connection
    if (!from) return
    switch (unit.command) {
      case 'deliver_sm':
      case 'data_sm':
        arrivals.take(unit, (status) => from.answer(unit, status))
        break
      case 'enquire_link':
        from.answer(unit, statuses.ok)
        break
      case 'unbind':
        from.answer(unit, statuses.ok)
        from.end()
        break
      case 'alert_notification':
      case 'outbind':
        break
      default:
        from.refuse(unit)
    }
  }

  function closed(why: string): void {
    clearInterval(watch)
    const upMs = boundAt === undefined ? 0 : performance.now() - boundAt
    trouble = unwelcome ?? { trouble: why, needsOperator: false }
    connection = undefined
    boundAt = undefined
    submits.cease()
    arrivals.lineLost()
    if (closing) return whenClosed?.()
    tries = upMs >= limits.steadyMs ? 1 : tries + 1
    const { reconnectMs: firstMs, reconnectMaxMs: mostMs, jitterShare } = limits
    again = setTimeout(open, backoffMs(tries, { firstMs, mostMs, jitterShare }, chance()))
  }

  async function shut(): Promise<void> {
    trouble = waitsFor('being closed')
    unwelcome = undefined
    clearTimeout(again)
    clearInterval(watch)
    signal.removeEventListener('abort', close)
    submits.cease()
    await withTimeout(limits.closeMs, Promise.all([submits.settled(), arrivals.close()]), undefined)
    const last = connection
    if (!last) return
    const gone = new Promise<void>((resolve) => {
      whenClosed = resolve
    })
    if (boundAt === undefined) last.end()
    else last.ask('unbind', {}, limits.unbindMs, () => last.end())
    await gone
  }

  function close(): Promise<void> {
    closing ??= shut()
    return closing
  }

  async function submit(wanted: Submit): Promise<SendOutcome> {
    if (!trouble?.needsOperator) return submits.submit(wanted)
    const detail = trouble.trouble
    return { kind: 'refused', reason: 'sendFailed', detail, again: 'elsewhere', needsOperator: true }
  }

  void open()
  if (signal.aborted) void close()
  else signal.addEventListener('abort', close, { once: true })
  return { trouble: () => trouble?.trouble, close, submit }
}

function waitsFor(what: string): Trouble {
  return { trouble: `The line is ${what}.`, needsOperator: false }
}
