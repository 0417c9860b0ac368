/** The commands and queries of rules: create, change, delete, list, and the runs of one rule. */
import { type AgentScope, scopeOf } from '../../core/agent/scope.js'
import type { AgentRef } from '../../core/agentref.js'
import {
  type AutomatedOutreachBody,
  type AutomatedOutreachPatch,
  createRule,
  patchRule,
  type Rule,
  replaceRule,
} from '../../core/automation/rule.js'
import { type RunState, type RunView, runView } from '../../core/automation/run.js'
import { isRefusal, type Refusal, refuse } from '../../core/errors.js'
import { automation as limits } from '../../core/limits/index.js'
import type { Command, Query, Tx } from '../../runtime/shard/contract.js'
import type { Reader } from '../../runtime/store/contract.js'
import type { AgentDocuments } from '../agents/documentoperations.js'
import { findAgent } from '../agents/store.js'
import { automationSections } from './deps.js'
import { entriesOf, entryTable, type RuleEntry, ruleTable, runTable } from './store.js'
import { scheduleClear } from './sweep.js'

export interface RuleRef extends AgentRef {
  readonly ruleId: string
}

/** A change as a caller sent it: a replacement of the rule, or a patch. */
export type RuleChange =
  | { readonly kind: 'replace'; readonly body: AutomatedOutreachBody }
  | { readonly kind: 'patch'; readonly body: AutomatedOutreachPatch }

export interface RunPageQuery extends RuleRef {
  readonly state?: RunState
  readonly limit: number
  /** Continues after this person. */
  readonly after?: string
}

export interface RunPage {
  readonly data: readonly RunView[]
  readonly after?: string
}

const notFound = refuse('resource.not_found')
const agentNotFound = refuse('agent.not_found')

export function createRules(documents: Pick<AgentDocuments, 'load'>) {
  function loadScope(reader: Reader, { orgId, agentId }: AgentRef): AgentScope | undefined {
    const agent = findAgent(reader, { orgId, agentId })
    return agent && scopeOf({ orgId, agentId, incarnation: agent.incarnation })
  }

  function loadRule(reader: Reader, ref: RuleRef): { scope: AgentScope; entry: RuleEntry; rule: Rule } | Refusal {
    const scope = loadScope(reader, ref)
    if (!scope) return agentNotFound
    const entry = entriesOf(reader, scope).find(({ id }) => id === ref.ruleId)
    const rule = entry && reader.get(ruleTable, [...scope, entry.key])
    return rule ? { scope, entry, rule } : notFound
  }

  function saveRule(tx: Tx, scope: AgentScope, key: string, rule: Rule): void {
    const { id, name, outreachId, enabled, trigger } = rule
    const entry: RuleEntry = { id, key, name, outreachId, enabled, trigger }
    const entries = entriesOf(tx, scope)
    const isNew = !entries.some((each) => each.key === key)
    tx.put(entryTable, scope, isNew ? [...entries, entry] : entries.map((each) => (each.key === key ? entry : each)))
    tx.put(ruleTable, [...scope, key], rule)
  }

  const create: Command<AgentRef & { readonly body: AutomatedOutreachBody }, Rule> = {
    name: 'automation.create',
    decide(tx, { orgId, agentId, body }, { mint }) {
      const ref = { orgId, agentId }
      const [loaded, scope] = [documents.load(tx, ref, automationSections), loadScope(tx, ref)]
      if (!loaded || !scope) return agentNotFound
      const rule = createRule(loaded.document, new Set(entriesOf(tx, scope).map(({ id }) => id)), body)
      if (!isRefusal(rule)) saveRule(tx, scope, mint('ao'), rule)
      return rule
    },
  }

  const change: Command<RuleRef & { readonly change: RuleChange }, Rule> = {
    name: 'automation.change',
    decide(tx, { change, ...ref }) {
      const loaded = documents.load(tx, ref, automationSections)
      const before = loadRule(tx, ref)
      if (!loaded || isRefusal(before)) return loaded ? (before as Refusal) : agentNotFound
      const { scope, entry, rule } = before
      const after =
        change.kind === 'replace'
          ? replaceRule(loaded.document, rule, change.body)
          : patchRule(loaded.document, rule, change.body)
      if (!isRefusal(after)) saveRule(tx, scope, entry.key, after)
      return after
    },
  }

  /** Cancels the rule's runs that have not sent; sends that it made continue. */
  const remove: Command<RuleRef, true> = {
    name: 'automation.remove',
    decide(tx, ref, { at }) {
      const before = loadRule(tx, ref)
      if (isRefusal(before)) return before
      const { scope, entry } = before
      tx.put(
        entryTable,
        scope,
        entriesOf(tx, scope).filter(({ key }) => key !== entry.key),
      )
      tx.remove(ruleTable, [...scope, entry.key])
      const [orgId, agentId, incarnation] = scope
      scheduleClear(tx, { orgId, agentId, incarnation, ruleKey: entry.key }, at)
      return true
    },
  }

  const list: Query<AgentRef, readonly Rule[]> = {
    name: 'automation.list',
    read(reader, ref) {
      const scope = loadScope(reader, ref)
      if (!scope) return agentNotFound
      return entriesOf(reader, scope).flatMap(({ key }) => reader.get(ruleTable, [...scope, key]) ?? [])
    },
  }

  const one: Query<RuleRef, Rule> = {
    name: 'automation.rule',
    read(reader, ref) {
      const loaded = loadRule(reader, ref)
      return isRefusal(loaded) ? loaded : loaded.rule
    },
  }

  /**
   * Newest people first. One call reads a bounded number of rows, however few match; the caller continues from `after`.
   */
  const runs: Query<RunPageQuery, RunPage> = {
    name: 'automation.runs',
    read(reader, { state, limit, after, ...ref }) {
      const loaded = loadRule(reader, ref)
      if (isRefusal(loaded)) return loaded
      const prefix = [...loaded.scope, loaded.entry.key] as const
      const from = after === undefined ? {} : { after: [...prefix, after] }
      const data: RunView[] = []
      let scanned = 0
      for (const { key, value } of reader.range(runTable, { prefix, ...from, reverse: true })) {
        if (state === undefined || value.state === state) data.push(runView(key[4], value))
        if (data.length >= limit || ++scanned >= limits.rowsPerRead) return { data, after: key[4] }
      }
      return { data }
    },
  }

  /** Rules that name an outreach, enabled or not. */
  function referrersOf(reader: Reader, agent: AgentRef, outreachId: string) {
    const scope = loadScope(reader, agent)
    const referrers = scope ? entriesOf(reader, scope).filter((each) => each.outreachId === outreachId) : []
    return referrers.map(({ id, name }) => ({ kind: 'automatedOutreach' as const, id, name }))
  }

  return { referrersOf, commands: { create, change, remove }, queries: { list, one, runs } }
}
export type Rules = ReturnType<typeof createRules>
