/** The tools of an agent: services outside that count every request, and commands inside that count their effects. */

import { tools as limits } from '../../../core/limits/index.js'
import type { ToolOutcome } from '../../../core/tools/contract.js'
import type { Answered, Exchange } from '../../../core/tools/verdict.js'
import type { OutsideRequest } from '../../../mgmt/tools/port.js'
import type { Command } from '../../../runtime/shard/contract.js'
import { table } from '../../../runtime/store/contract.js'
import type { Incarnation } from '../world/life.js'
import type { Line } from '../world/line.js'
import { type Rng, seededRng } from '../world/rng.js'
import type { Timeline } from '../world/timeline.js'

/** What became of a call at its tool. */
export interface ToolLog {
  readonly name: string
  readonly isIdempotent: boolean
  requests: number
  /** Requests whose caller was told in time that the tool takes none just now. */
  turnedAway: number
  /** How often the tool did what it was asked. */
  done: number
}

export interface OutsideTools {
  /** By the `Idempotency-Key` of the call. */
  readonly logs: ReadonlyMap<string, ToolLog>
  /** One request, as the node's HTTP client makes it. */
  call(incarnation: Incarnation, request: OutsideRequest): Promise<Exchange>
}

export interface OutsideOptions {
  readonly timeline: Timeline
  readonly rng: Rng
  readonly line: Line
  /** Integrations whose tool does nothing twice under one key. */
  readonly idempotent: readonly string[]
  readonly slowToolMs: number
  readonly note: (line: string) => void
}

const wayMs = [1, 60] as const
const behaviors = ['does', 'does', 'does', 'does', 'does', 'does', 'hangs', 'fails', 'busy', 'gateway'] as const
const slowShare = 0.3
const busy = 429

export function openOutsideTools({ timeline, rng, line, idempotent, slowToolMs, note }: OutsideOptions): OutsideTools {
  const logs = new Map<string, ToolLog>()

  /** What the tool answers; undefined: nothing. */
  function receive({ url, headers }: OutsideRequest): Answered | undefined {
    const key = headers['Idempotency-Key'] ?? ''
    const name = url.split('/').at(-1) ?? ''
    const log = logs.get(key) ?? { name, isIdempotent: idempotent.includes(name), requests: 0, turnedAway: 0, done: 0 }
    logs.set(key, log)
    log.requests++
    const isKnown = log.isIdempotent && log.done > 0
    const behavior = isKnown ? 'does' : rng.pick(behaviors)
    const isDone = !isKnown && behavior !== 'fails' && behavior !== 'busy'
    if (isDone) log.done++
    note(`the tool ${name} gets ${key} for the ${log.requests}. time: ${behavior}${isDone ? ', done' : ''}`)
    if (behavior === 'hangs') return undefined
    if (behavior === 'fails') return answered(422, {})
    if (behavior === 'busy') return answered(busy, {})
    return behavior === 'gateway' ? answered(502, {}) : answered(200, { ref: key })
  }

  return {
    logs,
    call: (incarnation, request) =>
      incarnation.outside(({ resolve }) => {
        const { signal, isStillOwner } = request
        if (signal.aborted || !isStillOwner()) return resolve(stopped(false))
        if (!line.arrives() && rng.chance(0.5)) {
          return void timeline.after(rng.between(...wayMs), () => resolve(unreached))
        }
        let isOver = false
        const timeout = timeline.after(limits.callMs, () => finish(lost))
        const abort = () => finish(stopped(true))
        signal.addEventListener('abort', abort, { once: true })
        function finish(exchange: Exchange): void {
          if (isOver) return
          isOver = true
          timeout()
          signal.removeEventListener('abort', abort)
          if (exchange.ok && exchange.status === busy) logs.get(request.headers['Idempotency-Key'] ?? '')!.turnedAway++
          resolve(exchange)
        }
        const [arrives, answers] = [line.arrives(), line.answers()]
        if (!arrives) return
        timeline.after(rng.between(...wayMs), () => {
          const answer = receive(request)
          const tookMs = rng.chance(slowShare) ? rng.between(0, slowToolMs) : 0
          if (answer && answers) timeline.after(tookMs + rng.between(...wayMs), () => finish(answer))
        })
      }),
  }
}

function answered(status: number, body: object): Answered {
  return { ok: true, status, body: Buffer.from(JSON.stringify(body)), isCut: false }
}

const stopped = (mayHaveArrived: boolean): Exchange => {
  return { ok: false, message: 'It was stopped.', mayHaveArrived, isStopped: true }
}
const lost: Exchange = { ok: false, message: 'No answer came.', mayHaveArrived: true, isStopped: false }
const unreached: Exchange = { ok: false, message: 'It was not reached.', mayHaveArrived: false, isStopped: false }

/** Effects of tools inside, by the id of their call. */
export const insideTable = table<[owner: string, id: string], number>('sim.inside')

export interface InsideCall {
  readonly owner: string
  readonly id: string
  readonly seed: number
}

/** Done each time that it is decided, so that an effect under two ids, or under none, is visible. */
export const doInside: Command<InsideCall, ToolOutcome> = {
  name: 'sim.doInside',
  decide(tx, { owner, id, seed }) {
    const draw = seededRng(`${seed}/inside/${id}`).below(8)
    if (draw === 0) return { state: 'refused', reason: 'That is not possible.' }
    if (draw === 1) return { state: 'failed', reason: 'That did not work.' }
    tx.put(insideTable, [owner, id], (tx.get(insideTable, [owner, id]) ?? 0) + 1)
    return { state: 'ok', result: { ref: id, saved: ['firstName'] } }
  },
}
