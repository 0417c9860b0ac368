/** How messages go to Slack, whose refusals come with a status that says that all is well. */
import t from 'tap'
import { slackAdapter } from '../../../../adapters/workchat/slack/adapter.js'
import { refusals } from '../../../../adapters/workchat/slack/descriptor.js'
import { createTestProvider, type ScriptedResponse } from '../../messenger/provider.js'
import { dm, slackAuth } from './samples.js'

const [hello] = slackAdapter.render([{ kind: 'text', text: 'Hi' }], { address: dm, messageId: 'msg_1' })
const outcome = (response: ScriptedResponse | 'silence') =>
  slackAdapter.send(hello!, createTestProvider(slackAuth, dm, response).sendContext)

t.test('A message goes to the channel with the token of the bot', async (t) => {
  const { sendContext, requests } = createTestProvider(slackAuth, dm, {
    status: 200,
    body: { ok: true, channel: dm, ts: '1.2' },
  })
  t.same(await slackAdapter.send(hello!, sendContext), { kind: 'sent', providerId: `${dm}:1.2` })
  t.equal(requests[0]?.url, 'https://slack.com/api/chat.postMessage')
  t.equal(requests[0]?.headers?.authorization, `Bearer ${slackAuth.botToken}`)
  t.same(JSON.parse(String(requests[0]?.body)), { channel: dm, text: 'Hi' })
})

t.test('A response that is not ok is refused by its error code, whatever its status', async (t) => {
  for (const [error, { reason, retry }] of Object.entries(refusals)) {
    t.match(await outcome({ status: 200, body: { ok: false, error } }), { kind: 'refused', reason, retry }, error)
  }
  t.match(await outcome({ status: 200, body: { ok: false } }), { kind: 'refused', retry: 'otherChannel' })
  t.match(await outcome({ status: 200, body: { ok: 'true', ts: '1.2', channel: dm } }), { kind: 'refused' })
})

t.test('A new error code is reported, and other text is not repeated', async (t) => {
  t.match(await outcome({ status: 200, body: { ok: false, error: 'brand_new' } }), {
    detail: 'Slack answered brand_new.',
  })
  const { botToken } = slackAuth
  const leaking = await outcome({ status: 200, body: { ok: false, error: `bad token ${botToken}` } })
  t.notMatch(JSON.stringify(leaking), botToken)
})

t.test('Rate limits, server errors and silence are retried later', async (t) => {
  for (const response of [{ status: 429, headers: { 'retry-after': '30' } }, { status: 503 }, 'silence'] as const) {
    t.match(await outcome(response), { kind: 'refused', retry: 'later' })
  }
  t.match(await outcome({ status: 200, body: '<html>' }), { kind: 'refused', retry: 'later' }, 'no answer of Slack’s')
})

t.test('A response that is ok and has no timestamp is treated as not understood', async (t) => {
  t.match(await outcome({ status: 200, body: { ok: true } }), { kind: 'refused', retry: 'later' })
})
