/** What holds of sign-ins whatever happens to them in whatever order: decided over a layer in memory. */
import fc from 'fast-check'
import t from 'tap'
import { type ConnectionState, nextState } from '../../../core/connections/status.js'
import { isRefusal } from '../../../core/errors.js'
import { oauth as limits } from '../../../core/limits/index.js'
import type { OrgEventPayload } from '../../../core/orgevents.js'
import { createConnectionCommands } from '../../../mgmt/connections/commands.js'
import { type Credential, credentialTable, pendingTable } from '../../../mgmt/connections/store.js'
import type { Command } from '../../../runtime/shard/contract.js'
import { type CommitContext, decide } from '../../../runtime/shard/decision.js'
import { createOverlay } from '../../../runtime/shard/overlay.js'
import { timerNameTable } from '../../../runtime/shard/tables.js'
import { encodeWrites } from '../../../runtime/store/space.js'

const orgId = 'acme'
const orgEvent: Command<OrgEventPayload, true> = { name: 'test.orgEvent', decide: () => true }
const tokens = { sealed: new Uint8Array([1]), sealedFor: 'x' }

function openLedger() {
  const root = createOverlay({ get: () => undefined, range: () => [], encode: encodeWrites })
  const { commands, removed } = createConnectionCommands(orgEvent)
  const orgEvents: OrgEventPayload[] = []
  const revoked: unknown[] = []
  let now = 1_000
  let commandCount = 0
  function ask<I, R>(command: Command<I, R>, input: I): R | undefined {
    const about = {
      owner: orgId,
      command: command as Command<unknown, unknown>,
      input,
      commandId: `c${commandCount++}`,
    }
    const moment: CommitContext = { at: now, monotonicAt: now, commit: commandCount, pending: [], outboundCommands: [] }
    const answer = decide(root, about, moment)
    for (const { effect } of moment.pending) {
      if (effect.kind === 'oauthRevoke') revoked.push(effect.payload)
      else orgEvents.push((effect.payload as { input: OrgEventPayload }).input)
    }
    return isRefusal(answer) ? undefined : (answer as R)
  }
  return {
    commands,
    removed,
    ask,
    orgEvents,
    revoked,
    wait(ms: number) {
      now += ms
    },
    credentials: (): Credential[] => Array.from(root.range(credentialTable), ({ value }) => value),
    pending: (): string[] => Array.from(root.range(pendingTable), ({ key: [, , mark] }) => mark),
    timers: (): string[] => Array.from(root.range(timerNameTable), ({ key: [, name] }) => String(name)),
  }
}

const label = fc.constantFrom('a', 'b', 'c')
const pick = fc.nat(20)
const step = fc.oneof(
  fc.record({ do: fc.constant('begin' as const), pick }),
  fc.record({ do: fc.constant('take' as const), pick }),
  fc.record({ do: fc.constant('lapse' as const), pick }),
  fc.record({ do: fc.constant('keep' as const), label }),
  fc.record({
    do: fc.constant('report' as const),
    pick,
    late: fc.boolean(),
    on: fc.constantFrom(
      'refreshFailed' as const,
      'grantRejected' as const,
      'callFailed' as const,
      'callSucceeded' as const,
    ),
  }),
  fc.record({ do: fc.constantFrom('claim' as const, 'renewed' as const, 'disconnect' as const), pick }),
  fc.record({ do: fc.constant('wait' as const), ms: fc.nat(limits.stateMs) }),
)

t.test('A state is used at most once, and every pending sign-in has its timer', async () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const ledger = openLedger()
      const { commands, ask } = ledger
      const takenCounts = new Map<string, number>()
      for (const each of steps) {
        const mark = 'pick' in each ? `mark${each.pick}` : ''
        if (each.do === 'begin' && !takenCounts.has(mark)) {
          ask(commands.begin, { orgId, provider: 'crm', stateHash: mark, verifier: new Uint8Array() })
        }
        if (each.do === 'take' && ask(commands.consume, { orgId, stateHash: mark }))
          takenCounts.set(mark, (takenCounts.get(mark) ?? 0) + 1)
        if (each.do === 'lapse') ask(commands.expire, { orgId, stateHash: mark })
        if (each.do === 'wait') ledger.wait(each.ms)
        const timers = ledger.timers()
        const isTimed = ledger.pending().every((pendingId) => timers.some((name) => name.endsWith(pendingId)))
        if (!isTimed || ledger.pending().some((pendingId) => takenCounts.has(pendingId))) return false
      }
      return [...takenCounts.values()].every((times) => times === 1)
    }),
  )
})

t.test(
  'Every status is reported, every transition is in the table, and every ended grant is revoked once',
  async () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const ledger = openLedger()
        const { commands, ask } = ledger
        let ended = 0
        for (const each of steps) {
          const before = ledger.credentials()
          const chosen = 'pick' in each ? before[each.pick % Math.max(1, before.length)] : undefined
          if (each.do === 'keep') ask(commands.saveGrant, { orgId, provider: 'crm', label: each.label, tokens })
          if (each.do === 'wait') ledger.wait(each.ms)
          if (!chosen) continue
          const about = { orgId, id: chosen.id, revision: chosen.revision }
          if (each.do === 'report') {
            const revision = about.revision - (each.late ? 1 : 0)
            const isAccepted = ask(commands.report, { ...about, revision, on: each.on, lastError: 'No.' })
            if (isAccepted === each.late) return false
            const after = ledger.credentials().find(({ id }) => id === chosen.id)!
            const expected = each.late ? chosen.status : (nextState(chosen.status, each.on) ?? chosen.status)
            if (after.status !== expected || (after.status === 'connected') !== (after.lastError === undefined))
              return false
          }
          if (each.do === 'claim') {
            const first = ask(commands.claimRenewal, about)
            if (first === 'changed' || ask(commands.claimRenewal, about) !== 'busy') return false
          }
          if (each.do === 'renewed') ask(commands.saveRenewed, { ...about, tokens })
          if (each.do === 'disconnect' && ask(commands.disconnect, { orgId, id: chosen.id })) ended += 1
        }
        // Told one after another, the moves lead from nothing to where each sign-in stands now.
        const lastStatus = new Map<unknown, ConnectionState>()
        for (const { data } of ledger.orgEvents) {
          if (data.from !== (lastStatus.get(data.id) ?? 'not-connected')) return false
          lastStatus.set(data.id, data.to as ConnectionState)
        }
        const isReported = ledger.credentials().every(({ id, status }) => lastStatus.get(id) === status)
        const labels = ledger.credentials().map((credential) => credential.label)
        return isReported && ledger.revoked.length === ended && new Set(labels).size === labels.length
      }),
    )
  },
)

t.test('The number of connections of an org is bounded, and an existing one can always reconnect', async (t) => {
  const { commands, ask, credentials } = openLedger()
  const grant = (made: number) => ask(commands.saveGrant, { orgId, provider: 'crm', label: `label ${made}`, tokens })
  for (let made = 0; made < limits.connectionsPerOrg; made++) t.ok(grant(made))
  t.equal(grant(limits.connectionsPerOrg), undefined)
  t.equal(ask(commands.begin, { orgId, provider: 'crm', stateHash: 'm', verifier: new Uint8Array() }), true)
  t.equal(grant(0)?.id, credentials().find((credential) => credential.label === 'label 0')?.id)
  t.equal(credentials().length, limits.connectionsPerOrg)
})

t.test('An org remembers a bounded number of disconnected connections, the newest', async (t) => {
  const { commands, ask, wait } = openLedger()
  const grant = (label: string) => ask(commands.saveGrant, { orgId, provider: 'crm', label, tokens })!.id
  const ended: string[] = []
  for (let made = 0; made <= limits.endedConnectionsPerOrg; made++) {
    wait(1)
    ended.push(grant(`label ${made}`))
    t.equal(ask(commands.disconnect, { orgId, id: ended[made]! }), true)
  }
  t.equal(grant('label 1'), ended[1], 'the oldest that is remembered')
  t.equal(grant(`label ${limits.endedConnectionsPerOrg}`), ended.at(-1))
  t.not(grant('label 0'), ended[0])
})
