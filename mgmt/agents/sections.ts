/**
 * Tables of an agent's document: a list is one row per item and the order of their ids, any other section is one
 * record. So a change of one item writes that item alone, however long its list is.
 */
import {
  changedItems,
  type Item,
  idOf,
  isInOrder,
  type ListSection,
  listSections,
  type Section,
} from '../../core/agent/index.js'
import type { AgentRef } from '../../core/agentref.js'
import type { Tx } from '../../runtime/shard/contract.js'
import { type Key, type Reader, type Table, table } from '../../runtime/store/contract.js'

type SectionKey = [orgId: string, agentId: string, section: string]

/** Also has lists that were last written before items had rows of their own; the next change moves such a list. */
const sectionTable = table<SectionKey, unknown>('agents.sections')
const orderTable = table<SectionKey, readonly string[]>('agents.orders')
const itemTable = table<[...SectionKey, id: string], object>('agents.items')

/** Undefined for a section that is empty or was never written. */
export function readSection(reader: Reader, agent: AgentRef, section: Section): unknown {
  const key = keyOf(agent, section)
  const record = reader.get(sectionTable, key)
  if (record !== undefined || !isList(section)) return record
  const order = reader.get(orderTable, key)
  if (!order) return undefined
  const items = new Map(Array.from(reader.range(itemTable, { prefix: key }), ({ key, value }) => [key[3], value]))
  return order.map((id) => items.get(id)!)
}

/** Decodes no other item. */
export function readItem(reader: Reader, agent: AgentRef, section: ListSection, id: string): object | undefined {
  const key = keyOf(agent, section)
  const legacyList = reader.get(sectionTable, key) as readonly object[] | undefined
  return legacyList ? legacyList.find((item) => idOf(item) === id) : reader.get(itemTable, [...key, id])
}

/** Whether the list has an item, or one that passes. Decodes no item after the first of these. */
export function hasItem<S extends ListSection>(
  reader: Reader,
  agent: AgentRef,
  section: S,
  passes: (item: Item<S>) => boolean = () => true,
): boolean {
  const key = keyOf(agent, section)
  const legacyList = reader.get(sectionTable, key) as readonly Item<S>[] | undefined
  if (legacyList) return legacyList.some(passes)
  for (const { value } of reader.range(itemTable, { prefix: key })) if (passes(value as Item<S>)) return true
  return false
}

/** `before` is the stored section; an item that both share is not written again. An empty section has no record. */
export function writeSection(tx: Tx, agent: AgentRef, section: Section, before: unknown, after: unknown): void {
  const key = keyOf(agent, section)
  if (isList(section)) writeList(tx, key, before as readonly object[], after as readonly object[])
  else if (after === undefined) tx.remove(sectionTable, key)
  else tx.put(sectionTable, key, after)
}

function writeList(tx: Tx, key: SectionKey, before: readonly object[], after: readonly object[]): void {
  const isMigrating = tx.get(sectionTable, key) !== undefined
  if (isMigrating) tx.remove(sectionTable, key)
  const previous = isMigrating ? [] : before
  for (const { id, current: item } of changedItems(previous, after)) {
    if (item) tx.put(itemTable, [...key, id], item)
    else tx.remove(itemTable, [...key, id])
  }
  if (isInOrder(previous, after)) return
  if (after.length > 0) tx.put(orderTable, key, after.map(idOf))
  else tx.remove(orderTable, key)
}

export function removeSections(tx: Tx, agent: AgentRef): void {
  removeRows(tx, sectionTable, agent)
  removeRows(tx, orderTable, agent)
  removeRows(tx, itemTable, agent)
}

function removeRows<K extends Key>(tx: Tx, from: Table<K, unknown>, { orgId, agentId }: AgentRef): void {
  for (const { key } of [...tx.range(from, { prefix: [orgId, agentId] })]) tx.remove(from, key)
}

function keyOf({ orgId, agentId }: AgentRef, section: Section): SectionKey {
  return [orgId, agentId, section]
}

export function isList(section: Section): section is ListSection {
  return section in listSections
}
