/** The commands and queries of rules: made, changed, taken away, listed, and what became of each person under one. */
import { type AgentScope, scopeOf } from '../../core/agent/scope.js'
import type { AgentPlace } from '../../core/agentkey.js'
import { type RowState, type RowView, rowView } from '../../core/automation/row.js'
import {
  type AutomatedOutreachBody,
  type AutomatedOutreachPatch,
  type Rule,
  ruleMade,
  rulePatched,
  ruleReplaced,
} from '../../core/automation/rule.js'
import { isRefusal, type Refusal, refuse } from '../../core/errors.js'
import { automation as limits } from '../../core/limits.js'
import type { Command, Query, Tx } from '../../runtime/shard/contract.js'
import type { Reader } from '../../runtime/store/contract.js'
import type { AgentDocuments } from '../agents/documents.js'
import { findAgent } from '../agents/store.js'
import { automationSections } from './deps.js'
import { entriesOf, entryTable, type RuleEntry, rowTable, ruleTable } from './store.js'
import { clearLater } from './sweep.js'

export interface OneRule extends AgentPlace {
  readonly ruleId: string
}

/** A change as a caller sent it: all of the rule, or some of it. */
export type RuleChange =
  | { readonly kind: 'replace'; readonly body: AutomatedOutreachBody }
  | { readonly kind: 'patch'; readonly body: AutomatedOutreachPatch }

export interface RowStretch extends OneRule {
  readonly state?: RowState
  readonly limit: number
  /** The walk goes on behind this person. */
  readonly after?: string
}

export interface RowsFound {
  readonly data: readonly RowView[]
  readonly after?: string
}

const notFound = refuse('resource.not_found')
const agentNotFound = refuse('agent.not_found')

export function createRules(documents: Pick<AgentDocuments, 'load'>) {
  function homeFor(reader: Reader, { orgId, agentId }: AgentPlace): AgentScope | undefined {
    const agent = findAgent(reader, { orgId, agentId })
    return agent && scopeOf({ orgId, agentId, serial: agent.serial })
  }

  function found(reader: Reader, place: OneRule): { scope: AgentScope; entry: RuleEntry; rule: Rule } | Refusal {
    const scope = homeFor(reader, place)
    if (!scope) return agentNotFound
    const entry = entriesOf(reader, scope).find(({ id }) => id === place.ruleId)
    const rule = entry && reader.get(ruleTable, [...scope, entry.key])
    return rule ? { scope, entry, rule } : notFound
  }

  function keep(tx: Tx, scope: AgentScope, key: string, rule: Rule): void {
    const { id, name, outreachId, enabled, trigger } = rule
    const entry: RuleEntry = { id, key, name, outreachId, enabled, trigger }
    const entries = entriesOf(tx, scope)
    const isNew = !entries.some((each) => each.key === key)
    tx.put(entryTable, scope, isNew ? [...entries, entry] : entries.map((each) => (each.key === key ? entry : each)))
    tx.put(ruleTable, [...scope, key], rule)
  }

  const create: Command<AgentPlace & { readonly body: AutomatedOutreachBody }, Rule> = {
    name: 'automation.create',
    decide(tx, { orgId, agentId, body }, { mint }) {
      const place = { orgId, agentId }
      const [known, scope] = [documents.load(tx, place, automationSections), homeFor(tx, place)]
      if (!known || !scope) return agentNotFound
      const rule = ruleMade(known.document, new Set(entriesOf(tx, scope).map(({ id }) => id)), body)
      if (!isRefusal(rule)) keep(tx, scope, mint('ao'), rule)
      return rule
    },
  }

  const change: Command<OneRule & { readonly change: RuleChange }, Rule> = {
    name: 'automation.change',
    decide(tx, { change, ...place }) {
      const known = documents.load(tx, place, automationSections)
      const before = found(tx, place)
      if (!known || isRefusal(before)) return known ? (before as Refusal) : agentNotFound
      const { scope, entry, rule } = before
      const after =
        change.kind === 'replace'
          ? ruleReplaced(known.document, rule, change.body)
          : rulePatched(known.document, rule, change.body)
      if (!isRefusal(after)) keep(tx, scope, entry.key, after)
      return after
    },
  }

  /** What it was about to send is not sent; sends that it made run on. */
  const remove: Command<OneRule, true> = {
    name: 'automation.remove',
    decide(tx, place, { at }) {
      const before = found(tx, place)
      if (isRefusal(before)) return before
      const { scope, entry } = before
      tx.put(
        entryTable,
        scope,
        entriesOf(tx, scope).filter(({ key }) => key !== entry.key),
      )
      tx.remove(ruleTable, [...scope, entry.key])
      const [orgId, agentId, serial] = scope
      clearLater(tx, { orgId, agentId, serial, ruleKey: entry.key }, at)
      return true
    },
  }

  const list: Query<AgentPlace, readonly Rule[]> = {
    name: 'automation.list',
    read(reader, place) {
      const scope = homeFor(reader, place)
      if (!scope) return agentNotFound
      return entriesOf(reader, scope).flatMap(({ key }) => reader.get(ruleTable, [...scope, key]) ?? [])
    },
  }

  const one: Query<OneRule, Rule> = {
    name: 'automation.rule',
    read(reader, place) {
      const known = found(reader, place)
      return isRefusal(known) ? known : known.rule
    },
  }

  /** Newest people first. It looks at a bounded number of rows, however few of them are wanted: whoever asks comes back. */
  const rows: Query<RowStretch, RowsFound> = {
    name: 'automation.rows',
    read(reader, { state, limit, after, ...place }) {
      const known = found(reader, place)
      if (isRefusal(known)) return known
      const prefix = [...known.scope, known.entry.key] as const
      const from = after === undefined ? {} : { after: [...prefix, after] }
      const data: RowView[] = []
      let seen = 0
      for (const { key, value } of reader.range(rowTable, { prefix, ...from, reverse: true })) {
        if (state === undefined || value.state === state) data.push(rowView(key[4], value))
        if (data.length >= limit || ++seen >= limits.rowsPerRead) return { data, after: key[4] }
      }
      return { data }
    },
  }

  /** Rules that name an outreach, enabled or not. */
  function referrersOf(reader: Reader, place: AgentPlace, outreachId: string) {
    const scope = homeFor(reader, place)
    const naming = scope ? entriesOf(reader, scope).filter((each) => each.outreachId === outreachId) : []
    return naming.map(({ id, name }) => ({ kind: 'automatedOutreach' as const, id, name }))
  }

  return { referrersOf, commands: { create, change, remove }, queries: { list, one, rows } }
}
export type Rules = ReturnType<typeof createRules>
