/** Pictures that people send from the emulator page, as its routes take them. */
import t, { type Test } from 'tap'
import { refuse } from '../../../core/errors.js'
import { adapter, emulatorPage as limits, providerEmulator } from '../../../core/limits/index.js'
import type { EmulatedProviders, EmulatorScene, PhoneAct } from '../../../runtime/emulator/contract.js'
import type { PhoneStatus } from '../../../runtime/emulator/inspect.js'
import { pageApiRoutes } from '../../../runtime/emulator/pageapi.js'
import { pictureTypes } from '../../../runtime/emulator/schema.js'
import { createTickets } from '../../../runtime/emulator/tickets.js'
import { createInboundTurnQuery, createTurnQuery } from '../../../runtime/emulator/turns.js'
import { createEmulatorUpdates } from '../../../runtime/emulator/updates.js'
import { createWebhookLog } from '../../../runtime/emulator/webhooklog.js'
import { createPipeline } from '../../../runtime/http/pipeline.js'
import { createLog } from '../../../runtime/observe/log.js'
import type { Shards } from '../../../runtime/shard/contract.js'
import { manualClock } from '../../harness/clock.js'
import { injectInto } from '../../harness/injection.js'
import { pdf, png, samples } from '../media/samples.js'

const phone = {
  channel: 'sms',
  provider: 'twilio',
  account: 'sample-sms',
  address: '+15550100',
  asid: 'usr_1',
} as const
const scene: EmulatorScene = {
  orgId: 'demo',
  agentId: 'sample',
  name: 'Sample',
  mode: 'webhook',
  suggestions: [],
  zone: 'UTC',
  phones: [phone],
  asidOfVisitor: (id) => id,
}

/** The page's routes over a provider that notes what people do; `why` has it refuse all of it. */
function openScene(why?: string) {
  const acts: PhoneAct[] = []
  const exchange: EmulatedProviders = {
    sent: () => [],
    async act(_account, _address, act) {
      if (why !== undefined) return { kind: 'impossible', why }
      acts.push(act)
      return { kind: 'performed', calls: 1, taken: true }
    },
    setReachable() {},
  }
  const clock = manualClock()
  const tickets = createTickets(Buffer.alloc(32, 1), clock)
  const webhookLog = createWebhookLog()
  const turnOfMessage = createTurnQuery(() => [])
  const turnOfInbound = createInboundTurnQuery(() => [])
  const phoneStatus: PhoneStatus = { isOptedOut: false, fares: [], refusals: [] }
  const shards = { query: async () => phoneStatus } as unknown as Shards
  const routes = pageApiRoutes({
    tickets,
    clock,
    agentIds: () => [scene.agentId],
    scene: async (agentId) => (agentId === scene.agentId ? scene : refuse('resource.not_found')),
    updates: createEmulatorUpdates({ shards, providers: exchange, webhookLog, turnOfMessage, turnOfInbound, clock }),
    chat: { list: async () => [], details: async () => ({ refused: 'resource.not_found' }) },
    sendAs: async () => ({ accepted: false }),
  })
  const serve = createPipeline({
    prefix: '/v1',
    routes,
    style: 'problem',
    authenticate: () => undefined,
    buckets: {
      spend: () => Promise.reject(new Error('no budget here')),
      degraded: () => undefined,
      close: async () => {},
    },
    cors: { headersFor: () => undefined },
    clock,
    log: createLog({ destination: { write: () => {} } }).log,
    meter: () => ({ observe() {} }),
    checkReplies: true,
  })
  const inject = injectInto(serve)
  const headers = { 'x-emulator-ticket': tickets.mint() }
  const at = '/v1/system/emulator/stage/sample'
  return {
    acts,
    send: (json: unknown, channel = 'sms') => inject('POST', `${at}/phones/${channel}/_picture`, { headers, json }),
    uninvited: (json: unknown) => inject('POST', `${at}/phones/sms/_picture`, { json }),
    noted: async () => (await inject('GET', `${at}/news`, { headers })).json.acts as { act: Record<string, string> }[],
  }
}

const pictureOf = (file: Buffer, type = 'image/png') => ({ type, data: file.toString('base64'), name: 'harbor' })

t.test('A picture of every type reaches the provider unchanged, and the page gets its record', async (t) => {
  const { send, acts, noted } = openScene()
  for (const type of pictureTypes) {
    const picture = pictureOf(samples[type]![0]!, type)
    t.match(await send(picture), { status: 202, json: { calls: 1, taken: true } })
    const act = { kind: 'media', url: `data:${type};base64,${picture.data}`, type, name: 'harbor' }
    t.same(acts.at(-1), act)
    t.same((await noted()).at(-1)?.act, act)
  }
})

t.test('An invalid picture is refused by its field, and changes nothing', async (t) => {
  const { send, uninvited, acts, noted } = openScene()
  async function expectRefusal(t: Test, field: string, message: RegExp, json: unknown, channel?: string, status = 422) {
    const answer = await send(json, channel)
    t.match(answer, { status, json: { errors: [{ field, message }] } })
  }
  const large = Buffer.concat([png, Buffer.alloc(limits.pictureChars)])
  await expectRefusal(t, 'type', /image\/png, image\/jpeg, image\/gif, image\/webp/, pictureOf(pdf, 'application/pdf'))
  await expectRefusal(t, 'data', /no file of type image\/png/, pictureOf(pdf))
  await expectRefusal(t, 'data', /no file of type image\/gif/, pictureOf(png, 'image/gif'))
  await expectRefusal(t, 'data', new RegExp(`at most ${limits.pictureChars} characters`), pictureOf(large))
  await expectRefusal(t, 'data', /must be base64/, { ...pictureOf(png), data: 'data:,x' })
  await expectRefusal(t, 'name', /required/, { type: 'image/png', data: png.toString('base64') })
  await expectRefusal(t, 'channel', /no phone/, pictureOf(png), 'rcs', 404)
  t.equal((await send(pictureOf(png), 'pigeon')).status, 404)
  t.equal((await uninvited(pictureOf(png))).status, 403)
  t.same(acts, [])
  t.same(await noted(), [])
})

t.test('A phone whose protocol has no pictures says so', async (t) => {
  const { send, noted } = openScene('There is no media on sms.')
  const answer = await send(pictureOf(png))
  t.match(answer, { status: 422, json: { errors: [{ field: 'channel', message: 'There is no media on sms.' }] } })
  t.same(await noted(), [])
})

t.test('The newest pictures are kept, and of older ones only that they were sent', async (t) => {
  const { send, noted } = openScene()
  for (let sent = 0; sent < limits.retainedPictures + 2; sent++) await send(pictureOf(png))
  const acts = (await noted()).map(({ act }) => act)
  t.equal(acts.length, limits.retainedPictures + 2)
  t.same(acts.slice(0, 2), new Array(2).fill({ kind: 'media', type: 'image/png', name: 'harbor' }))
  t.ok(acts.slice(2).every(({ url }) => url?.startsWith('data:image/png;base64,')))
})

t.test('The largest picture fits every URL limit', async (t) => {
  const address = 'data:image/jpeg;base64,'.length + limits.pictureChars
  t.ok(address <= providerEmulator.fileUrlChars, 'at providers that keep it')
  t.ok(address <= adapter.textChars, 'and in what adapters report')
})
