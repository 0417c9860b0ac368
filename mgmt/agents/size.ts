/** Limit of an agent's size as a document: never more than an import reads, so that every export can be imported. */
import { type AgentDocument, changedItems, emptyDocument, invalidFields } from '../../core/agent/index.js'
import type { Refusal } from '../../core/errors.js'
import { agentDocument as limits } from '../../core/limits/index.js'
import { createStepBudget, itemCost, type Steps } from '../../core/steps.js'
import { allSections, type Head } from './documentcache.js'
import { isList } from './sections.js'

/**
 * The size of the document after a change in bytes, or a refusal. A change that does not make it longer is always
 * accepted.
 */
export function* bytesAfter(head: Head, before: AgentDocument, after: AgentDocument): Steps<number | Refusal> {
  const was = head.bytes ?? (yield* growth(emptyDocument, before)).bytes
  const { bytes: more, section } = yield* growth(before, after)
  if (more <= 0 || was + more <= limits.documentBytes) return was + more
  const message = `makes the agent longer than ${limits.documentBytes} bytes as a document of JSON`
  return invalidFields([{ field: section, message }])
}

/** The difference in size, and the section that grows most. Costs by the differences. */
function* growth(before: AgentDocument, after: AgentDocument): Steps<{ bytes: number; section: string }> {
  let bytes = 0
  const isStepOver = createStepBudget()
  let largest = { bytes: 0, section: '' }
  for (const section of allSections) {
    const [was, is] = [before[section], after[section]]
    if (was === is) continue
    const changed: readonly Pair[] = isList(section)
      ? changedItems(was as object[], is as object[])
      : [{ previous: was, current: is }]
    let added = 0
    for (const item of changed) {
      const [isBytes, wasBytes] = [bytesOf(item.current), bytesOf(item.previous)]
      added += isBytes - wasBytes
      if (isStepOver(itemCost + costOfByte * (isBytes + wasBytes))) yield
    }
    bytes += added
    if (added > largest.bytes) largest = { bytes: added, section }
  }
  return { bytes, section: largest.section }
}

/** Writing a byte costs less than reading one. */
const costOfByte = 1 / 4

interface Pair {
  readonly previous?: unknown
  readonly current?: unknown
}

function bytesOf(value: unknown): number {
  return value === undefined ? 0 : Buffer.byteLength(JSON.stringify(value)) + 1
}
