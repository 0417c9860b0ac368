/**
 * Incoming PDUs of a session: reported in order of arrival and in batches, and acknowledged once they are recorded. The
 * adapter refuses PDUs that are not recorded, and the message center sends them again.
 */
import { createHash, randomUUID } from 'node:crypto'
import type { Item } from '../../../core/channel/adapter.js'
import { notUnderstood } from '../../kit/inbound.js'
import { textIn } from './alphabet.js'
import type { Pdu } from './codec.js'
import { createReassembly, type JoinedText, type PartialLimits, type PartText } from './concat.js'
import { createDeduplicator, type DedupeLimits } from './dedupe.js'
import type { MessageIds } from './ids.js'
import { type ParsedOther, type ParsedPdu, type ParsedText, parsePdu } from './pdu.js'
import { statuses } from './refusals.js'

export interface DeliverLimits extends PartialLimits, DedupeLimits {
  readonly pendingDeliveries: number
  readonly deliveriesPerReport: number
}

/** Answers a PDU with this status; false when the connection is no longer writable. */
export type AcknowledgePdu = (status: number) => boolean

export interface Deliveries {
  accept(pdu: Pdu, acknowledge: AcknowledgePdu): void
  connectionLost(): void
  /** Resolves when all PDUs are recorded or refused. Incomplete texts are reported with gaps. */
  close(): Promise<void>
}

interface QueuedItem {
  readonly item: Item
  readonly onReported: (isOnRecord: boolean) => void
}

type ReportItems = (items: readonly Item[]) => PromiseLike<void>

export function openDeliveries(limits: DeliverLimits, ids: MessageIds, report: ReportItems): Deliveries {
  const sessionId = randomUUID()
  let count = 0
  const newId = () => `${sessionId}.${++count}`
  const reassembly = createReassembly(limits, newId)
  const deduplicator = createDeduplicator(limits, newId)
  let queue: QueuedItem[] = []
  let reporting: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined
  const now = () => performance.now()

  function accept(pdu: Pdu, acknowledge: AcknowledgePdu): void {
    if (queue.length >= limits.pendingDeliveries) {
      acknowledge(statuses.queueFull)
      return
    }
    const parsed = parsePdu(pdu)
    if (parsed.kind === 'ignored') return void acknowledge(statuses.ok)
    if (parsed.kind === 'text' || parsed.kind === 'other') return acceptText(parsed, acknowledge)
    const item = parsed.kind === 'receipt' ? itemOf(parsed) : { problem: parsed.problem }
    // The message center keeps an unreadable PDU; the gateway logs the problem.
    const status = 'problem' in item ? statuses.rejected : statuses.ok
    push(item, (isOnRecord) => void acknowledge(isOnRecord ? status : statuses.notTaken))
  }

  function itemOf({ rawId, from, reported, detail }: Extract<ParsedPdu, { kind: 'receipt' }>): Item {
    const { providerId, address = from } = ids.resolveReceipt(rawId, from)
    if (!reported) return { problem: 'a receipt that does not say what became of the message' }
    if (address === '') return { problem: 'a receipt that does not say for whom' }
    const { state } = reported
    const reason = 'reason' in reported && { reason: reported.reason }
    const receipt = { providerId, state, ...reason, ...(detail && { detail }) }
    return { id: `${providerId}.${state}`, address, inbound: { kind: 'receipt', receipt } }
  }

  function acceptText(text: ParsedText | ParsedOther, acknowledge: AcknowledgePdu): void {
    if (isPart(text)) return acceptPart(text, acknowledge)
    const contentKey = contentHash(text)
    const id = deduplicator.idFor(contentKey, now())
    const bodyText = text.kind === 'other' ? '' : (textIn(text.octets, text.dataCoding) ?? '')
    push(messageItem(id, text.from, bodyText), (isOnRecord) => {
      const isAcknowledged = acknowledge(isOnRecord ? statuses.ok : statuses.notTaken) && isOnRecord
      deduplicator.recordAcknowledgement(contentKey, id, isAcknowledged, now())
    })
  }

  /**
   * A message center may wait for the answer to one part before it sends the next, so only the last part waits for the
   * record.
   */
  function acceptPart(text: PartText, acknowledge: AcknowledgePdu): void {
    const result = reassembly.add(text, now())
    if (typeof result === 'string') {
      acknowledge(statuses.ok)
      if (result === 'waiting') flushOverdue()
      return
    }
    push(messageItem(result.id, result.from, result.text), (isOnRecord) => {
      if (isOnRecord) reassembly.markRecorded(result.key)
      acknowledge(isOnRecord ? statuses.ok : statuses.notTaken)
      flushOverdue()
    })
  }

  function push(item: Item, onReported: QueuedItem['onReported']): void {
    queue.push({ item, onReported })
    reporting ??= reportAll().finally(() => {
      reporting = undefined
    })
  }

  async function reportAll(): Promise<void> {
    // Collects PDUs of the same turn into one batch.
    await undefined
    while (queue.length > 0) {
      const batch = queue.slice(0, limits.deliveriesPerReport)
      queue = queue.slice(batch.length)
      const isOnRecord = await tryReport(batch)
      // After a failed batch each item is reported alone, so that one bad item does not block the others.
      if (!isOnRecord && batch.length > 1) for (const each of batch) each.onReported(await tryReport([each]))
      else for (const each of batch) each.onReported(isOnRecord)
    }
  }

  async function tryReport(batch: readonly QueuedItem[]): Promise<boolean> {
    try {
      await report(batch.map(({ item }) => item))
      return true
    } catch {
      return false
    }
  }

  /** Reports overdue texts, and runs again when the next one is due. */
  function flushOverdue(): void {
    clearTimeout(timer)
    for (const each of reassembly.overdue(now())) pushJoined(each)
    const next = reassembly.nextAt()
    if (next === undefined) return
    timer = setTimeout(flushOverdue, Math.max(limits.partialMs / 10, next - now()))
    timer.unref()
  }

  const queuedKeys = new Set<string>()
  function pushJoined({ key, id, from, text }: JoinedText): void {
    if (queuedKeys.has(key)) return
    queuedKeys.add(key)
    push(messageItem(id, from, text), (isOnRecord) => {
      queuedKeys.delete(key)
      if (isOnRecord) reassembly.markRecorded(key)
    })
  }

  return {
    accept,
    connectionLost: () => deduplicator.connectionLost(now()),
    async close() {
      clearTimeout(timer)
      await reporting
      for (const each of reassembly.all()) pushJoined(each)
      await reporting
      clearTimeout(timer)
    },
  }
}

/** A message without text becomes a note to the agent. */
function messageItem(id: string, address: string, text: string): Item {
  const inbound = text === '' ? notUnderstood('a message') : ({ kind: 'content', content: { text } } as const)
  return { id, address, inbound }
}

function isPart(text: ParsedText | ParsedOther): text is PartText {
  return 'part' in text && text.part !== undefined
}

function contentHash({ from, to, dataCoding, octets }: ParsedText | ParsedOther): string {
  return createHash('sha256').update(`${from}\n${to}\n${dataCoding}\n`).update(octets).digest('base64')
}
