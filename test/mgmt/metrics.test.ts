/** What the management plane counts: sends as callers were answered, org webhooks, and recipients of campaigns. */
import t, { type Test } from 'tap'
import { refuse } from '../../core/errors.js'
import type { Send } from '../../core/outreach/send.js'
import { countRecipients } from '../../mgmt/campaigns/metrics.js'
import { dispatchTable, recipientTable } from '../../mgmt/campaigns/store.js'
import { createSendMetrics } from '../../mgmt/outreach/metrics.js'
import { countDeadLetters, createWebhookMetrics } from '../../mgmt/webhooks/metrics.js'
import { deliveryTable } from '../../mgmt/webhooks/store.js'
import { createMetrics } from '../../runtime/observe/metrics.js'
import type { Local } from '../../runtime/shard/contract.js'

async function expectLines(
  t: Test,
  metrics: ReturnType<typeof createMetrics>,
  ...lines: readonly string[]
): Promise<void> {
  const { text } = await metrics.render()
  for (const line of lines) t.ok(text.split('\n').includes(line), line)
}

/** Changes as a shard tells of them. */
function createWatchedShards() {
  const seers = new Map<string, (key: never, value: never) => void>()
  const local: Pick<Local, 'watch'> = {
    watch(table, seen) {
      seers.set(table.name, seen as never)
    },
  }
  return {
    local,
    write: ({ name }: { readonly name: string }, value: unknown) => seers.get(name)!([] as never, value as never),
  }
}

t.test('A request for a send counts by its answer, and a dry run counts as tried', async (t) => {
  const metrics = createMetrics()
  const meters = createSendMetrics(metrics)
  const result = { outreachId: 'hello', unknownInputs: [] }
  meters.countRequest({ ...result, status: 'queued' }, false)
  meters.countRequest({ ...result, status: 'queued' }, true)
  meters.countRequest({ ...result, status: 'duplicate' }, false)
  meters.countRequest({ kind: 'skip', reason: 'no_consent' } as never, false)
  meters.countRequest(refuse('agent.outreach.opted_out'), false)
  meters.countRequest(refuse('agent.outreach.opted_out'), true)
  await expectLines(
    t,
    metrics,
    'parley_send_requests_total{status="queued",reason=""} 1',
    'parley_send_requests_total{status="tried",reason=""} 1',
    'parley_send_requests_total{status="duplicate",reason=""} 1',
    'parley_send_requests_total{status="postponed",reason=""} 1',
    'parley_send_requests_total{status="refused",reason="agent.outreach.opted_out"} 2',
  )
})

t.test('An attempt counts by its outcome, a send by its state', async (t) => {
  const metrics = createMetrics()
  const meters = createSendMetrics(metrics)
  meters.countAttempt({ kind: 'accepted', messageId: 'msg_1' })
  meters.countAttempt({ kind: 'deferred', until: 1 })
  meters.countAttempt({ kind: 'failure', failure: 'noBinding', detail: 'to +15550100' })
  const recordSend = (send: Partial<Send>) =>
    meters.onSendChanged(
      undefined as never,
      undefined as never,
      { state: 'sending' } as Send,
      send as Send,
      undefined as never,
    )
  recordSend({ origin: 'named', state: 'sent' })
  recordSend({ origin: 'campaign', state: 'failed', reason: 'no_route' })
  await expectLines(
    t,
    metrics,
    'parley_send_attempts_total{outcome="accepted"} 1',
    'parley_send_attempts_total{outcome="deferred"} 1',
    'parley_send_attempts_total{outcome="noBinding"} 1',
    'parley_sends_total{origin="named",state="sent",reason=""} 1',
    'parley_sends_total{origin="campaign",state="failed",reason="no_route"} 1',
  )
})

t.test('Attempts of org webhooks are counted with their duration, and a failed delivery once', async (t) => {
  const metrics = createMetrics()
  const { local, write } = createWatchedShards()
  countDeadLetters(local, metrics)
  const meters = createWebhookMetrics(metrics)
  await expectLines(t, metrics, 'parley_webhook_dead_letters_total{kind="org"} 0')
  meters.observeTry({ kind: 'failed', at: 0, durationMs: 30 })
  meters.observeTry({ kind: 'succeeded', at: 0, durationMs: 300, status: 200 })
  for (const state of ['pending', 'pending', 'failed', 'pending', 'delivered']) write(deliveryTable, { state })
  write(deliveryTable, undefined)
  await expectLines(
    t,
    metrics,
    'parley_webhook_calls_total{kind="org",outcome="failed"} 1',
    'parley_webhook_calls_total{kind="org",outcome="succeeded"} 1',
    'parley_webhook_call_duration_seconds_count{kind="org"} 2',
    'parley_webhook_call_duration_seconds_bucket{le="0.05",kind="org"} 1',
    'parley_webhook_dead_letters_total{kind="org"} 1',
  )
})

t.test('Campaign recipients count when they are staged and dispatched, test recipients never', async (t) => {
  const metrics = createMetrics()
  const { local, write } = createWatchedShards()
  countRecipients(local, metrics)
  for (const personId of ['a', 'b', 'c']) write(recipientTable, { personId })
  write(recipientTable, { personId: 'd', exclusion: 'optedOut' })
  write(recipientTable, { personId: 'e', personaId: 'p' })
  write(recipientTable, undefined)
  write(dispatchTable, { rows: [0, 1], sendIds: ['sd_1', 'sd_2'] })
  write(dispatchTable, { rows: [4], sendIds: ['sd_3'], isTest: true })
  write(dispatchTable, undefined)
  const of = (state: string, count: number) => `parley_campaign_recipients_total{state="${state}"} ${count}`
  await expectLines(t, metrics, of('pending', 3), of('excluded', 1), of('queued', 2))
})
