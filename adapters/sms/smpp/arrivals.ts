/**
 * What comes in over a line: told in the order of its coming, many at a time, and acknowledged once it is on record. What
 * is not on record is refused for now, and the message center brings it again.
 */
import { createHash, randomUUID } from 'node:crypto'
import type { Item } from '../../../core/channel/adapter.js'
import { notUnderstood } from '../../kit/inbound.js'
import { textIn } from './alphabet.js'
import type { Ids } from './ids.js'
import type { Unit } from './library.js'
import { type Joined, openPartials, type PartialLimits, type PartText } from './partials.js'
import { type Read, type ReadOther, type ReadText, read } from './read.js'
import { statuses } from './refusals.js'
import { openRepeats, type RepeatLimits } from './repeats.js'

export interface ArrivalLimits extends PartialLimits, RepeatLimits {
  readonly waitingArrivals: number
  readonly arrivalsPerTell: number
}

/** Says with which status a unit was taken; false when that cannot be said any more. */
export type Acknowledge = (status: number) => boolean

export interface Arrivals {
  take(unit: Unit, acknowledge: Acknowledge): void
  lineLost(): void
  /** Resolves when all that came is on record or refused; texts of which parts are missing are told as they are. */
  close(): Promise<void>
}

interface Waiting {
  readonly item: Item
  readonly answered: (isOnRecord: boolean) => void
}

type Tell = (items: readonly Item[]) => PromiseLike<void>

export function openArrivals(limits: ArrivalLimits, ids: Ids, tell: Tell): Arrivals {
  const opened = randomUUID()
  let count = 0
  const newId = () => `${opened}.${++count}`
  const partials = openPartials(limits, newId)
  const repeats = openRepeats(limits, newId)
  let waiting: Waiting[] = []
  let telling: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined
  const now = () => performance.now()

  function take(unit: Unit, acknowledge: Acknowledge): void {
    if (waiting.length >= limits.waitingArrivals) {
      acknowledge(statuses.queueFull)
      return
    }
    const found = read(unit)
    if (found.kind === 'unspoken') return void acknowledge(statuses.ok)
    if (found.kind === 'text' || found.kind === 'other') return takeText(found, acknowledge)
    const item = found.kind === 'receipt' ? itemOf(found) : { problem: found.problem }
    // What cannot be read stays with the message center, and stands in the log here.
    const taken = 'problem' in item ? statuses.rejected : statuses.ok
    push(item, (isOnRecord) => void acknowledge(isOnRecord ? taken : statuses.notTaken))
  }

  function itemOf({ rawId, from, reported, detail }: Extract<Read, { kind: 'receipt' }>): Item {
    const { providerId, address = from } = ids.receipted(rawId, from)
    if (!reported) return { problem: 'a receipt that does not say what became of the message' }
    if (address === '') return { problem: 'a receipt that does not say for whom' }
    const { state } = reported
    const reason = 'reason' in reported && { reason: reported.reason }
    const receipt = { providerId, state, ...reason, ...(detail && { detail }) }
    return { id: `${providerId}.${state}`, address, inbound: { kind: 'receipt', receipt } }
  }

  function takeText(text: ReadText | ReadOther, acknowledge: Acknowledge): void {
    if (isPart(text)) return takePart(text, acknowledge)
    const content = contentOf(text)
    const id = repeats.idFor(content, now())
    const words = text.kind === 'other' ? '' : (textIn(text.octets, text.dataCoding) ?? '')
    push(said(id, text.from, words), (isOnRecord) => {
      const isAcknowledged = acknowledge(isOnRecord ? statuses.ok : statuses.notTaken) && isOnRecord
      repeats.answered(content, id, isAcknowledged, now())
    })
  }

  /** A message center may wait for the answer to one part before it brings the next, so only the last has to wait. */
  function takePart(text: PartText, acknowledge: Acknowledge): void {
    const added = partials.add(text, now())
    if (typeof added === 'string') {
      acknowledge(statuses.ok)
      if (added === 'waiting') look()
      return
    }
    push(said(added.id, added.from, added.text), (isOnRecord) => {
      if (isOnRecord) partials.told(added.key)
      acknowledge(isOnRecord ? statuses.ok : statuses.notTaken)
      look()
    })
  }

  function push(item: Item, answered: Waiting['answered']): void {
    waiting.push({ item, answered })
    telling ??= tellAll().finally(() => {
      telling = undefined
    })
  }

  async function tellAll(): Promise<void> {
    // Whatever came in the same breath goes along.
    await undefined
    while (waiting.length > 0) {
      const batch = waiting.slice(0, limits.arrivalsPerTell)
      waiting = waiting.slice(batch.length)
      const isOnRecord = await wasTold(batch)
      // One that cannot be put on record must not keep the others from it.
      if (!isOnRecord && batch.length > 1) for (const each of batch) each.answered(await wasTold([each]))
      else for (const each of batch) each.answered(isOnRecord)
    }
  }

  async function wasTold(batch: readonly Waiting[]): Promise<boolean> {
    try {
      await tell(batch.map(({ item }) => item))
      return true
    } catch {
      return false
    }
  }

  /** Comes back when the next text has waited long enough for its missing parts. */
  function look(): void {
    clearTimeout(timer)
    for (const each of partials.overdue(now())) pushPartial(each)
    const next = partials.nextAt()
    if (next === undefined) return
    timer = setTimeout(look, Math.max(limits.partialMs / 10, next - now()))
    timer.unref()
  }

  const pushing = new Set<string>()
  function pushPartial({ key, id, from, text }: Joined): void {
    if (pushing.has(key)) return
    pushing.add(key)
    push(said(id, from, text), (isOnRecord) => {
      pushing.delete(key)
      if (isOnRecord) partials.told(key)
    })
  }

  return {
    take,
    lineLost: () => repeats.lineLost(now()),
    async close() {
      clearTimeout(timer)
      await telling
      for (const each of partials.all()) pushPartial(each)
      await telling
      clearTimeout(timer)
    },
  }
}

/** A message without words is told as one that cannot be shown. */
function said(id: string, address: string, text: string): Item {
  const inbound = text === '' ? notUnderstood('a message') : ({ kind: 'content', content: { text } } as const)
  return { id, address, inbound }
}

function isPart(text: ReadText | ReadOther): text is PartText {
  return 'part' in text && text.part !== undefined
}

function contentOf({ from, to, dataCoding, octets }: ReadText | ReadOther): string {
  return createHash('sha256').update(`${from}\n${to}\n${dataCoding}\n`).update(octets).digest('base64')
}
