/**
 * What providers answer to a send: each documented refusal is about the account, a person, the window, the moment or
 * the content.
 */
import fc from 'fast-check'
import t from 'tap'
import type { Row } from '../../adapters/kit/refusals.js'
import { instagramAdapter } from '../../adapters/messenger/instagram/adapter.js'
import { messengerAdapter } from '../../adapters/messenger/messenger/adapter.js'
import { refusals as pageRows } from '../../adapters/messenger/page/descriptor.js'
import { whatsappAdapter } from '../../adapters/messenger/whatsapp/adapter.js'
import { refusals as whatsappRows } from '../../adapters/messenger/whatsapp/descriptor.js'
import { rbmAdapter } from '../../adapters/rcs/rbm/adapter.js'
import { accountRows, refusalRows as rbmRows } from '../../adapters/rcs/rbm/send.js'
import { describeBindRefusal, refusalOf, rows as smppRows } from '../../adapters/sms/smpp/refusals.js'
import { twilioAdapter } from '../../adapters/sms/twilio/adapter.js'
import { rows as twilioRows } from '../../adapters/sms/twilio/refusals.js'
import { appleAdapter } from '../../adapters/vendor/apple/adapter.js'
import { refusals as appleRows } from '../../adapters/vendor/apple/descriptor.js'
import { slackAdapter } from '../../adapters/workchat/slack/adapter.js'
import { refusals as slackRows } from '../../adapters/workchat/slack/descriptor.js'
import type { Adapter, SendContext, SendOutcome } from '../../core/channel/adapter.js'
import { createTestProvider } from './messenger/provider.js'
import { pageAuth, person, psid, whatsappAuth } from './messenger/samples.js'
import { rbmSamples } from './rcs/rbm/samples.js'
import * as recorded from './recordedrefusals.js'
import { twilioSamples } from './sms/twilio/samples.js'
import { appleSamples } from './vendor/apple/samples.js'
import { slackSamples } from './workchat/slack/samples.js'

type Recorded = Readonly<Record<string, recorded.RecordedRefusal>>

interface Case {
  readonly name: string
  readonly adapter: Adapter<never, never>
  readonly auth: unknown
  readonly address: string
  readonly rows: Readonly<Record<string, Row>>
  readonly bodies: Recorded
}

const spoken = Object.fromEntries(Object.keys(slackRows).map((word) => [word, recorded.slack(word)]))

const cases: readonly Case[] = [
  {
    name: 'messenger',
    adapter: messengerAdapter,
    auth: pageAuth,
    address: psid,
    rows: pageRows,
    bodies: recorded.page,
  },
  {
    name: 'instagram',
    adapter: instagramAdapter,
    auth: pageAuth,
    address: psid,
    rows: pageRows,
    bodies: recorded.page,
  },
  {
    name: 'whatsapp',
    adapter: whatsappAdapter,
    auth: whatsappAuth,
    address: person,
    rows: whatsappRows,
    bodies: recorded.whatsapp,
  },
  { name: 'twilio', adapter: twilioAdapter, ...accountOf(twilioSamples), rows: twilioRows, bodies: recorded.twilio },
  { name: 'slack', adapter: slackAdapter, ...accountOf(slackSamples), rows: slackRows, bodies: spoken },
  { name: 'apple', adapter: appleAdapter, ...accountOf(appleSamples), rows: appleRows, bodies: recorded.apple },
  {
    name: 'rbm',
    adapter: rbmAdapter,
    ...accountOf(rbmSamples),
    rows: { ...rbmRows, ...accountRows },
    bodies: recorded.rbm,
  },
] as unknown as readonly Case[]

function accountOf({ auth, address }: { readonly auth: unknown; readonly address: string }) {
  return { auth, address }
}

/** Everything before the send itself, such as for a token, is answered well. */
async function outcomeOf({ adapter, auth, address }: Case, answer: recorded.RecordedRefusal): Promise<SendOutcome> {
  const { sendContext } = createTestProvider(auth, address, answer)
  const call: SendContext<unknown>['call'] = (request) =>
    /oauth2|token/.test(request.url)
      ? Promise.resolve({
          kind: 'answer',
          status: 200,
          header: () => '',
          body: '{"access_token":"t","expires_in":3600}',
        })
      : sendContext.call(request)
  const context = { address, messageId: 'msg_1' }
  const any = adapter as unknown as Adapter
  const [payload] = any.render([{ kind: 'text', text: 'Hi' }], context)
  return any.send(payload, { ...sendContext, call } as SendContext<unknown>)
}

for (const each of cases) {
  const { name, rows, bodies } = each
  t.test(`Every documented refusal of ${name} concerns what its table says`, async (t) => {
    t.same(Object.keys(bodies).sort(), Object.keys(rows).sort(), 'there is one recorded answer for each row')
    for (const [code, answer] of Object.entries(bodies)) {
      const { concerns, reason, retry: expectedRetry } = rows[code]!
      const outcome = await outcomeOf(each, answer)
      t.match(outcome, { kind: 'refused', reason, retry: expectedRetry }, code)
      const needsOperator = outcome.kind === 'refused' && outcome.needsOperator === true
      t.equal(needsOperator, concerns === 'account', `${code} concerns ${concerns}`)
    }
  })

  t.test(`An unknown refusal of ${name} never concerns the account`, async (t) => {
    const listed = Object.keys(rows)
    for (const status of [400, 401, 402, 403, 404, 405, 409, 410, 418, 422, 451].filter(
      (status) => !listed.includes(String(status)) && !(name === 'rbm' && status === 409),
    )) {
      for (const body of ['', '{}', { error: { code: 999_999_999 } }, { ok: false, error: 'new_word' }]) {
        const outcome = await outcomeOf(each, { status, body })
        t.equal(outcome.kind, 'refused')
        t.notOk('needsOperator' in outcome, `${status} ${JSON.stringify(body)}`)
      }
    }
  })
}

/** What alone concerns a whole account. A code that joins them is entered here on purpose. */
const accountCodes: Readonly<Record<string, string>> = {
  messenger: '3 10 102 104 190 368 458 459 460 463 464 467',
  instagram: '3 10 102 104 190 368 458 459 460 463 464 467',
  whatsapp: '0 3 10 33 190 200 368 131005 131031 131037 131042 131045 133010',
  twilio: '20003 20005 20006 20008 20404 21212 21601 21603 21660 21661 21701 21703 21704 21705 30002',
  slack:
    'not_authed invalid_auth account_inactive token_revoked token_expired missing_scope no_permission not_allowed_token_type org_login_required ekm_access_denied team_access_not_granted',
  apple: '401 403',
  rbm: 'UNAUTHENTICATED SERVICE_DISABLED CONSUMER_INVALID',
}

for (const each of cases) {
  const { name, rows, bodies } = each

  t.test(`Only the listed codes of ${name} concern the account`, async (t) => {
    const codes = Object.keys(rows).filter((code) => rows[code]!.concerns === 'account')
    t.same(codes.sort(), accountCodes[name]!.split(' ').sort())
  })

  t.test(
    `A refusal of ${name} that concerns a person never closes the channel, whatever surrounds its code`,
    async () => {
      const others = Object.keys(bodies).filter((code) => rows[code]!.concerns !== 'account')
      // Where the status itself is the code, there is nothing else to it.
      const isByStatus = name === 'apple' || name === 'rbm'
      const words = fc.constantFrom('Unauthorized', 'UNAUTHENTICATED', 'invalid_auth', 'token 190', 'account')
      const property = fc.asyncProperty(
        fc.constantFrom(...others),
        fc.integer({ min: 400, max: 599 }),
        words,
        async (code, status, word) => {
          const { status: usual, body } = bodies[code]!
          const echoed = { ...(body as object), message: word, details: [{ [word]: word }], hint: word }
          const outcome = await outcomeOf(each, { status: isByStatus ? usual : status, body: echoed })
          return !('needsOperator' in outcome)
        },
      )
      await fc.assert(property, { numRuns: 150 })
    },
  )
}

t.test('Only bind statuses and sender format statuses of a message center concern the account', async (t) => {
  const all = Array.from({ length: 0x500 }, (_, status) => status)
  const operators = all.filter((status) => refusalOf(status).needsOperator)
  t.same(operators, [0x0d, 0x0e, 0x0f, 0x48, 0x49, 0x53])
})

t.test('Every documented status of a message center concerns what its table says', async (t) => {
  for (const [status, { concerns, reason, retry: expectedRetry }] of Object.entries(smppRows)) {
    const refusal = refusalOf(Number(status))
    t.match(refusal, { reason, retry: expectedRetry })
    t.equal(refusal.needsOperator === true, concerns === 'account', status)
    t.equal(describeBindRefusal(Number(status)).needsOperator, concerns === 'account', status)
  }
  t.notOk('needsOperator' in refusalOf(0x4ff), 'a status of the carrier’s own is never the account’s')
})
