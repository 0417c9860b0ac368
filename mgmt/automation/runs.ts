/**
 * Runs of rules: created in the commit of the change that triggers a rule, decided when they are due, completed by
 * their send.
 */

import { type AgentIncarnation, type AgentScope, scopeOf } from '../../core/agent/scope.js'
import type { AgentRef } from '../../core/agentref.js'
import type { Rule } from '../../core/automation/rule.js'
import {
  isActive,
  isUndecided,
  type RuleRun,
  type RunReason,
  reasonOfRefusal,
  runAfterSend,
  transitionRun,
} from '../../core/automation/run.js'
import { isTriggered } from '../../core/automation/triggers.js'
import { minute } from '../../core/durations.js'
import { isRefusal } from '../../core/errors.js'
import { outreachSend as sendLimits } from '../../core/limits/index.js'
import type { ConsentState } from '../../core/outreach/port.js'
import type { Send } from '../../core/outreach/send.js'
import { compileFilter } from '../../core/people/filter.js'
import type { Person } from '../../core/people/person.js'
import { scaledMs } from '../../core/time.js'
import type { Command, CommandMeta, Tx } from '../../runtime/shard/contract.js'
import { findAgent } from '../agents/store.js'
import type { AutomationDeps } from './deps.js'
import type { RunAttempt } from './pickup.js'
import { scheduleTimer } from './pickuptimer.js'
import {
  claimTable,
  entriesOf,
  getRun,
  type RuleEntry,
  removeRun,
  ruleTable,
  runDueAt,
  saveRun,
  sendTable,
} from './store.js'

/** The result of the conversation's lookup: the consent of the person on the identity that the send would use. */
export interface EvaluateInput extends RunAttempt {
  readonly consent?: ConsentState & { readonly asid: string }
}

const hasReceived = (person: Person, outreachId: string) => person.outreach?.received?.includes(outreachId) ?? false
const matchesFilter = ({ filter }: Rule, person: Person) => !filter || compileFilter(filter).matches(person)

export function createRuns({ people, outreach, log, timeScale }: AutomationDeps) {
  /** Creates the runs that a change of a person triggers, in the commit of the change. */
  function onPersonChanged(
    tx: Tx,
    agentRef: AgentRef,
    before: Person | undefined,
    after: Person,
    meta: CommandMeta,
  ): void {
    if (after.sandbox) return
    const agent = findAgent(tx, agentRef)
    if (!agent) return
    const incarnation: AgentIncarnation = {
      orgId: agentRef.orgId,
      agentId: agentRef.agentId,
      incarnation: agent.incarnation,
    }
    for (const entry of entriesOf(tx, scopeOf(incarnation))) {
      if (entry.enabled && isTriggered(entry.trigger, before, after)) createRun(tx, incarnation, entry, after, meta)
    }
  }

  /** A run that ended without its person receiving anything starts again. */
  function createRun(
    tx: Tx,
    agent: AgentIncarnation,
    { key, outreachId }: RuleEntry,
    person: Person,
    { at }: CommandMeta,
  ): void {
    const scope = scopeOf(agent)
    if (hasReceived(person, outreachId) || isClaimed(tx, scope, outreachId, person.id)) return
    const rule = tx.get(ruleTable, [...scope, key])
    if (!rule || !matchesFilter(rule, person)) return
    const before = getRun(tx, scope, key, person.id)
    const dueAt = at + scaledMs(rule.delayMinutes * minute, timeScale)
    const run: RuleRun = { outreachId, state: 'pending', dueAt, attempt: before?.attempt ?? 0 }
    saveRun(tx, scope, [key, person.id], run, before)
    scheduleTimer(tx, agent, dueAt)
  }

  /** A claim of a deleted rule does not count, even while its rows are still being deleted. */
  function isClaimed(tx: Tx, scope: AgentScope, outreachId: string, personId: string): boolean {
    const holder = tx.get(claimTable, [...scope, outreachId, personId])
    return holder !== undefined && tx.get(ruleTable, [...scope, holder]) !== undefined
  }

  /** Commits the run together with the send it becomes, so neither exists without the other. */
  const evaluate: Command<EvaluateInput, boolean> = {
    name: 'automation.evaluate',
    decide(tx, { ruleKey, personId, attempt, consent, ...agent }, meta) {
      const scope = scopeOf(agent)
      const run = getRun(tx, scope, ruleKey, personId)
      if (findAgent(tx, agent)?.incarnation !== agent.incarnation || run?.attempt !== attempt || !isUndecided(run))
        return false
      const rule = tx.get(ruleTable, [...scope, ruleKey])
      if (!rule) {
        removeRun(tx, scope, [ruleKey, personId], run)
        return true
      }
      const after = decideRun(tx, agent, { rule, run, personId, consent }, meta)
      saveWithExpiry(tx, agent, [ruleKey, personId], after, run, meta.at)
      if (after.state === 'skipped') {
        const data = { automatedOutreachId: rule.id, outreachId: rule.outreachId, personId, reason: after.reason }
        log?.(tx, agent, { event: 'outreach.suppressed', data }, meta.at)
      }
      if (after.sendId !== undefined) tx.put(sendTable, [...scope, after.sendId], [ruleKey, personId])
      return true
    },
  }

  /** A run that ends now is deleted as long after that time as sends are, so that both stay readable equally long. */
  function saveWithExpiry(
    tx: Tx,
    agent: AgentIncarnation,
    runKey: readonly [ruleKey: string, personId: string],
    after: RuleRun,
    before: RuleRun,
    retainFrom: number,
  ): void {
    const deleteAt = retainFrom + scaledMs(sendLimits.retentionMs, timeScale)
    const run = isActive(after) ? after : { ...after, deleteAt }
    saveRun(tx, scopeOf(agent), runKey, run, before)
    const dueAt = runDueAt(run)
    if (dueAt !== undefined) scheduleTimer(tx, agent, dueAt)
  }

  interface RunContext {
    readonly rule: Rule
    readonly run: RuleRun
    readonly personId: string
    readonly consent: EvaluateInput['consent']
  }

  function decideRun(tx: Tx, agent: AgentIncarnation, context: RunContext, meta: CommandMeta): RuleRun {
    const { rule, run, consent } = context
    const person = people.byId(tx, agent, context.personId)
    const skip = (reason: RunReason) => transitionRun(run, 'skipped', { reason })!
    const skipReason = skipReasonOf(rule, run, person)
    if (skipReason) return skip(skipReason)
    const { orgId, agentId } = agent
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
        ...(consent && { consentState: consent }),
      },
      meta,
    )
    if (isRefusal(answer)) {
      const reason = reasonOfRefusal[answer.refused]
      if (!reason) throw new Error(`an automated send was refused: ${answer.refused}`)
      return skip(reason)
    }
    if ('status' in answer) {
      // Another send of the same outreach goes to the person today.
      if (answer.status !== 'queued') return skip('already-received')
      return transitionRun(run, 'accepted', { sendId: answer.sendId! })!
    }
    if (answer.kind === 'skip') return skip(answer.reason)
    return transitionRun(run, 'deferred', { dueAt: answer.until, reason: answer.waitsFor as RunReason })!
  }

  /** Updates the run of a send, in the commit in which the send changes state. */
  function onSendChanged(tx: Tx, agent: AgentIncarnation, before: Send, send: Send): void {
    if (send.automatedOutreachId === undefined || send.state === before.state || send.sandbox) return
    const scope = scopeOf(agent)
    const from = tx.get(sendTable, [...scope, send.id])
    const run = from && getRun(tx, scope, ...from)
    const after = run && runAfterSend(run, send)
    if (!from || !after) return
    saveWithExpiry(tx, agent, from, after, run, send.queuedAt)
    if (!isActive(after)) tx.remove(sendTable, [...scope, send.id])
  }

  return { onPersonChanged, onSendChanged, evaluate }
}

/** The reason to skip a run, from changes since it was created. */
function skipReasonOf(rule: Rule, run: RuleRun, person: Person | undefined): RunReason | undefined {
  if (!rule.enabled) return 'rule-disabled'
  if (rule.outreachId !== run.outreachId) return 'rule-changed'
  if (!person) return 'person-deleted'
  if (hasReceived(person, rule.outreachId)) return 'already-received'
  return matchesFilter(rule, person) ? undefined : 'not-in-filter'
}
