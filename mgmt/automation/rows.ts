/** The rows of rules: made in the commit of the change that sets a rule off, decided when they are due, ended by their send. */

import { type AgentIncarnation, type AgentScope, scopeOf } from '../../core/agent/scope.js'
import type { AgentPlace } from '../../core/agentkey.js'
import { fires } from '../../core/automation/fires.js'
import {
  isLive,
  isUndecided,
  type Row,
  type RowReason,
  reasonOfRefusal,
  rowMoved,
  rowOfSend,
} from '../../core/automation/row.js'
import type { Rule } from '../../core/automation/rule.js'
import { minute } from '../../core/durations.js'
import { isRefusal } from '../../core/errors.js'
import { outreachSend as sendLimits } from '../../core/limits.js'
import type { Standing } from '../../core/outreach/contact.js'
import type { Send } from '../../core/outreach/send.js'
import { compileFilter } from '../../core/people/filter.js'
import type { Person } from '../../core/people/person.js'
import type { Command, Told, Tx } from '../../runtime/shard/contract.js'
import { findAgent } from '../agents/store.js'
import type { AutomationDeps } from './deps.js'
import type { Look } from './pickup.js'
import {
  claimTable,
  dropRow,
  entriesOf,
  keepRow,
  type RuleEntry,
  rowAt,
  rowDueAt,
  ruleTable,
  sendTable,
} from './store.js'
import { scheduleTimer } from './timer.js'

/** What the look at a row found: how the person stands on the identity they would be written to by. */
export interface Looked extends Look {
  readonly standing?: Standing & { readonly asid: string }
}

const received = (person: Person, outreachId: string) => person.outreach?.received?.includes(outreachId) ?? false
const passes = ({ filter }: Rule, person: Person) => !filter || compileFilter(filter).matches(person)

export function createRows({ people, outreach, log, timeScale }: AutomationDeps) {
  /** Makes the rows that a change of a person sets off, in the commit of the change. */
  function onPersonChanged(tx: Tx, place: AgentPlace, before: Person | undefined, after: Person, told: Told): void {
    if (after.sandbox) return
    const agent = findAgent(tx, place)
    if (!agent) return
    const at: AgentIncarnation = { orgId: place.orgId, agentId: place.agentId, serial: agent.serial }
    for (const entry of entriesOf(tx, scopeOf(at))) {
      if (entry.enabled && fires(entry.trigger, before, after)) make(tx, at, entry, after, told)
    }
  }

  /** A row that ended without its person having received anything begins anew. */
  function make(tx: Tx, place: AgentIncarnation, { key, outreachId }: RuleEntry, person: Person, { at }: Told): void {
    const scope = scopeOf(place)
    if (received(person, outreachId) || isClaimed(tx, scope, outreachId, person.id)) return
    const rule = tx.get(ruleTable, [...scope, key])
    if (!rule || !passes(rule, person)) return
    const before = rowAt(tx, scope, key, person.id)
    const dueAt = at + Math.ceil((rule.delayMinutes * minute) / timeScale)
    const row: Row = { outreachId, state: 'pending', dueAt, look: before?.look ?? 0 }
    keepRow(tx, scope, [key, person.id], row, before)
    scheduleTimer(tx, place, dueAt)
  }

  /** By a rule that is gone nothing is claimed, however long its rows take to go. */
  function isClaimed(tx: Tx, scope: AgentScope, outreachId: string, personId: string): boolean {
    const holder = tx.get(claimTable, [...scope, outreachId, personId])
    return holder !== undefined && tx.get(ruleTable, [...scope, holder]) !== undefined
  }

  /** The row and the send it becomes are one commit, so neither is ever there without the other. */
  const judge: Command<Looked, boolean> = {
    name: 'automation.judge',
    decide(tx, { ruleKey, personId, look, standing, ...place }, told) {
      const scope = scopeOf(place)
      const row = rowAt(tx, scope, ruleKey, personId)
      if (findAgent(tx, place)?.serial !== place.serial || row?.look !== look || !isUndecided(row)) return false
      const rule = tx.get(ruleTable, [...scope, ruleKey])
      if (!rule) {
        dropRow(tx, scope, [ruleKey, personId], row)
        return true
      }
      const after = decided(tx, place, { rule, row, personId, standing }, told)
      keepEnding(tx, place, [ruleKey, personId], after, row, told.at)
      if (after.state === 'skipped') {
        const about = { automatedOutreachId: rule.id, outreachId: rule.outreachId, personId, reason: after.reason }
        log?.(tx, place, { event: 'outreach.suppressed', data: about }, told.at)
      }
      if (after.sendId !== undefined) tx.put(sendTable, [...scope, after.sendId], [ruleKey, personId])
      return true
    },
  }

  /** One that ends now is forgotten as long after that time as sends are, so both are explained for as long. */
  function keepEnding(
    tx: Tx,
    place: AgentIncarnation,
    which: readonly [ruleKey: string, personId: string],
    after: Row,
    before: Row,
    keptFrom: number,
  ): void {
    const forgetAt = keptFrom + Math.ceil(sendLimits.keptMs / timeScale)
    const row = isLive(after) ? after : { ...after, forgetAt }
    keepRow(tx, scopeOf(place), which, row, before)
    const dueAt = rowDueAt(row)
    if (dueAt !== undefined) scheduleTimer(tx, place, dueAt)
  }

  interface About {
    readonly rule: Rule
    readonly row: Row
    readonly personId: string
    readonly standing: Looked['standing']
  }

  function decided(tx: Tx, place: AgentIncarnation, about: About, told: Told): Row {
    const { rule, row, standing } = about
    const person = people.byId(tx, place, about.personId)
    const passed = (reason: RowReason) => rowMoved(row, 'passedOver', { reason })!
    const why = endedBecause(rule, row, person)
    if (why) return passed(why)
    const { orgId, agentId } = place
    const answer = outreach.commands.accept.decide(
      tx,
      {
        orgId,
        agentId,
        request: { outreachId: rule.outreachId, recipient: { kind: 'person', personId: person!.id } },
        origin: 'automated',
        automatedOutreachId: rule.id,
        ...(rule.sendWindow && { sendWindow: rule.sendWindow }),
        ...(rule.ignoreSafeHours && { ignoresSafeHours: true }),
        ...(standing && { standing }),
      },
      told,
    )
    if (isRefusal(answer)) {
      const reason = reasonOfRefusal[answer.refused]
      if (!reason) throw new Error(`an automated send was refused: ${answer.refused}`)
      return passed(reason)
    }
    if ('status' in answer) {
      // Somebody else sends it to them today.
      if (answer.status !== 'queued') return passed('already-received')
      return rowMoved(row, 'accepted', { sendId: answer.sendId! })!
    }
    if (answer.kind === 'skip') return passed(answer.reason)
    return rowMoved(row, 'held', { dueAt: answer.until, reason: answer.waitsFor as RowReason })!
  }

  /** Moves the row that a send came from, in the commit in which the send comes to another state. */
  function onSendChanged(tx: Tx, place: AgentIncarnation, before: Send, send: Send): void {
    if (send.automatedOutreachId === undefined || send.state === before.state || send.sandbox) return
    const scope = scopeOf(place)
    const from = tx.get(sendTable, [...scope, send.id])
    const row = from && rowAt(tx, scope, ...from)
    const after = row && rowOfSend(row, send)
    if (!from || !after) return
    keepEnding(tx, place, from, after, row, send.queuedAt)
    if (!isLive(after)) tx.remove(sendTable, [...scope, send.id])
  }

  return { onPersonChanged, onSendChanged, judge }
}

/** What has changed since the row was made, and leaves nothing to send. */
function endedBecause(rule: Rule, row: Row, person: Person | undefined): RowReason | undefined {
  if (!rule.enabled) return 'rule-disabled'
  if (rule.outreachId !== row.outreachId) return 'rule-changed'
  if (!person) return 'person-deleted'
  if (received(person, rule.outreachId)) return 'already-received'
  return passes(rule, person) ? undefined : 'not-in-filter'
}
