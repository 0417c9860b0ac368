/** What the management plane counts: sends as callers were answered, org webhooks, and recipients of campaigns. */
import t, { type Test } from 'tap'
import { refuse } from '../../core/errors.js'
import type { Send } from '../../core/outreach/send.js'
import { meterRecipients } from '../../mgmt/campaigns/meters.js'
import { recipientTable, turnTable } from '../../mgmt/campaigns/store.js'
import { sendMeters } from '../../mgmt/outreach/meters.js'
import { meterDeliveries, webhookMeters } from '../../mgmt/webhooks/meters.js'
import { deliveryTable } from '../../mgmt/webhooks/store.js'
import { openMetrics } from '../../runtime/observe/metrics.js'
import type { Local } from '../../runtime/shard/contract.js'

async function shows(t: Test, metrics: ReturnType<typeof openMetrics>, ...lines: readonly string[]): Promise<void> {
  const { text } = await metrics.render()
  for (const line of lines) t.ok(text.split('\n').includes(line), line)
}

/** Changes as a shard tells of them. */
function watched() {
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

t.test('A send that was asked for counts by its answer, and one that was only tried counts as that', async (t) => {
  const metrics = openMetrics()
  const meters = sendMeters(metrics)
  const result = { outreachId: 'hello', unknownInputs: [] }
  meters.asked({ ...result, status: 'queued' }, false)
  meters.asked({ ...result, status: 'queued' }, true)
  meters.asked({ ...result, status: 'duplicate' }, false)
  meters.asked({ kind: 'skip', reason: 'no_consent' } as never, false)
  meters.asked(refuse('agent.outreach.opted_out'), false)
  meters.asked(refuse('agent.outreach.opted_out'), true)
  await shows(
    t,
    metrics,
    'parley_sends_asked_total{status="queued",reason=""} 1',
    'parley_sends_asked_total{status="tried",reason=""} 1',
    'parley_sends_asked_total{status="duplicate",reason=""} 1',
    'parley_sends_asked_total{status="postponed",reason=""} 1',
    'parley_sends_asked_total{status="refused",reason="agent.outreach.opted_out"} 2',
  )
})

t.test('An attempt counts by what came of it, a send by the state that it came to', async (t) => {
  const metrics = openMetrics()
  const meters = sendMeters(metrics)
  meters.attempted({ kind: 'taken', messageId: 'msg_1' })
  meters.attempted({ kind: 'held', until: 1 })
  meters.attempted({ kind: 'trouble', trouble: 'noRoute', detail: 'to +15550100' })
  const moved = (send: Partial<Send>) =>
    meters.changed(
      undefined as never,
      undefined as never,
      { state: 'sending' } as Send,
      send as Send,
      undefined as never,
    )
  moved({ origin: 'named', state: 'sent' })
  moved({ origin: 'campaign', state: 'failed', reason: 'no_route' })
  await shows(
    t,
    metrics,
    'parley_send_attempts_total{outcome="taken"} 1',
    'parley_send_attempts_total{outcome="held"} 1',
    'parley_send_attempts_total{outcome="noRoute"} 1',
    'parley_sends_total{origin="named",state="sent",reason=""} 1',
    'parley_sends_total{origin="campaign",state="failed",reason="no_route"} 1',
  )
})

t.test('Tries of org webhooks are counted with their time, and a delivery that is given up once', async (t) => {
  const metrics = openMetrics()
  const { local, write } = watched()
  meterDeliveries(local, metrics)
  const meters = webhookMeters(metrics)
  await shows(t, metrics, 'parley_webhook_dead_letters_total{kind="org"} 0')
  meters.tried({ kind: 'failed', at: 0, durationMs: 30 })
  meters.tried({ kind: 'succeeded', at: 0, durationMs: 300, status: 200 })
  for (const state of ['pending', 'pending', 'failed', 'pending', 'delivered']) write(deliveryTable, { state })
  write(deliveryTable, undefined)
  await shows(
    t,
    metrics,
    'parley_webhook_calls_total{kind="org",outcome="failed"} 1',
    'parley_webhook_calls_total{kind="org",outcome="succeeded"} 1',
    'parley_webhook_call_duration_seconds_count{kind="org"} 2',
    'parley_webhook_call_duration_seconds_bucket{le="0.05",kind="org"} 1',
    'parley_webhook_dead_letters_total{kind="org"} 1',
  )
})

t.test('Recipients of campaigns count when they are staged and when it is their turn, rehearsals never', async (t) => {
  const metrics = openMetrics()
  const { local, write } = watched()
  meterRecipients(local, metrics)
  for (const personId of ['a', 'b', 'c']) write(recipientTable, { personId })
  write(recipientTable, { personId: 'd', exclusion: 'optedOut' })
  write(recipientTable, { personId: 'e', personaId: 'p' })
  write(recipientTable, undefined)
  write(turnTable, { rows: [0, 1], sendIds: ['sd_1', 'sd_2'] })
  write(turnTable, { rows: [4], sendIds: ['sd_3'], isTest: true })
  write(turnTable, undefined)
  const of = (state: string, count: number) => `parley_campaign_recipients_total{state="${state}"} ${count}`
  await shows(t, metrics, of('pending', 3), of('excluded', 1), of('queued', 2))
})
