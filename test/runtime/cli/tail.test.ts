/** `parley tail`: every record is told once, in whatever order shards commit, and looks the same on every line. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import t from 'tap'
import { channelNames } from '../../../core/channelnames.js'
import { commandLine as limits } from '../../../core/limits/index.js'
import { tailLine } from '../../../runtime/cli/tailline.js'
import { createSource, type TailRecord } from '../../../runtime/cli/tailsource.js'
import { anyText } from '../../harness/arbitraries.js'
import { waitUntil } from '../../harness/clock.js'
import { createAgent, exitCode, openNode, parley, setWebhook } from './parley.js'

// A whole node runs here, on a machine that may be busy.
t.setTimeout(200_000)

const main = fileURLToPath(new URL('../../../runtime/cli/main.js', import.meta.url))

const message = (at: number, messageId: string) => ({
  ...{ timestamp: new Date(at).toISOString(), agentId: 'desk', userId: 'usr_1', sessionId: 's', channel: 'sms' },
  ...{ origin: 'user', type: 'content', messageId, text: messageId, raw: {} },
})

/** The list of an API that answers as the real one does: newest first, from a moment on, page by page. */
function listOf(records: ReturnType<typeof message>[]) {
  return {
    get: async (target: string): Promise<never> => {
      const query = new URL(target, 'http://x').searchParams
      const start = Number(query.get('start') ?? 0)
      const from = Number(query.get('pageToken') ?? 0)
      const rows = Math.min(Number(query.get('limit')), 3)
      const all = records.filter(({ timestamp }) => Date.parse(timestamp) >= start)
      const sorted = all.sort((a, b) => (a.timestamp < b.timestamp ? 1 : a.timestamp > b.timestamp ? -1 : 0))
      const data = sorted.slice(from, from + rows)
      return { data, ...(from + rows < sorted.length && { nextPageToken: String(from + rows) }) } as never
    },
  }
}

const hour = Date.parse('2026-03-01T12:00:00.000Z')

t.test('Every record is printed exactly once, however late it is committed', async (t) => {
  // Each look, some records appear: at most as late as looks go back.
  const anyLate = fc.integer({ min: 0, max: limits.tailOverlapMs / 2 })
  const anyPolls = fc.array(fc.array(anyLate, { maxLength: 6 }), { minLength: 1, maxLength: 8 })
  await fc.assert(
    fc.asyncProperty(fc.nat(8), fc.nat(4), anyPolls, async (before, lines, polls) => {
      const records = Array.from({ length: before }, (_, n) => message(hour - n * 1_000, `old-${n}`))
      const source = createSource(listOf(records), '/a', 'messages', false)
      const past = await source.readLatest(lines)
      if (past.length > Math.max(1, lines)) return false
      const output: string[] = []
      const received: string[] = []
      for (const [poll, lates] of polls.entries()) {
        for (const [n, late] of lates.entries()) {
          const id = `new-${poll}-${n}`
          received.push(id)
          records.push(message(hour + 1_000 + poll * 1_000 + limits.tailOverlapMs / 2 - late, id))
        }
        output.push(...(await source.readNew()).map((each) => (each as { messageId: string }).messageId))
      }
      return JSON.stringify([...output].sort()) === JSON.stringify([...received].sort())
    }),
    { numRuns: 60 },
  )
  t.pass('for any looks')
})

t.test('Equal records of one moment are printed as often as they exist, oldest first', async (t) => {
  const records = [message(hour, 'a'), message(hour, 'a'), message(hour + 1, 'b')]
  const source = createSource(listOf(records), '/a', 'messages', false)
  t.same(
    (await source.readLatest(10)).map(({ timestamp }) => timestamp.slice(-4)),
    ['000Z', '000Z', '001Z'],
  )
  records.push(message(hour, 'a'))
  t.equal((await source.readNew()).length, 1)
  t.same(await source.readNew(), [])
})

t.test('A line has time, agent, channel, person and text, and no text controls the terminal', async (t) => {
  const plain = (text: string) => text
  const at = {
    timestamp: '2026-03-01T12:34:56.789Z',
    agentId: 'desk',
    userId: 'usr_0123456789abcdef',
    channel: 'sms',
  }
  const messageRecord = {
    kind: 'message',
    ...at,
    sessionId: 's',
    origin: 'user',
    type: 'content',
    messageId: 'm',
    raw: {},
  }
  const lines: [object, string][] = [
    [{ ...messageRecord, text: 'Hello\nthere' }, '12:34:56.789  desk  sms             456789abcdef  < Hello ⏎ there'],
    [{ ...messageRecord, origin: 'agent', text: 'Hi' }, '12:34:56.789  desk  sms             456789abcdef  > Hi'],
    [
      { ...messageRecord, origin: 'agent', type: 'status', subtype: 'delivered' },
      '12:34:56.789  desk  sms             456789abcdef  > delivered',
    ],
    [
      { ...messageRecord, origin: 'agent', type: 'status', subtype: 'failed', error: 'unreachable' },
      '12:34:56.789  desk  sms             456789abcdef  > failed: unreachable',
    ],
    [
      { ...messageRecord, channel: 'webchat', test: true, emulatedChannel: 'rcs', text: 'x' },
      '12:34:56.789  desk  rcs             456789abcdef  < x',
    ],
    [
      { kind: 'log', ...at, level: 'warn', event: 'webhook.failed', data: { status: 500 }, raw: {} },
      '12:34:56.789  desk  sms             456789abcdef  - webhook.failed {"status":500}',
    ],
  ]
  for (const [output, line] of lines) t.equal(tailLine(output as TailRecord, plain), line)
  const anyRecord = fc.record({
    ...{
      kind: fc.constant('message'),
      timestamp: fc.constant(at.timestamp),
      agentId: fc.string(),
      userId: fc.string(),
    },
    ...{ channel: fc.constantFrom(...channelNames), origin: fc.constantFrom('user', 'agent') },
    ...{
      type: fc.constantFrom('content', 'status'),
      text: anyText(),
      error: fc.option(fc.string()),
    },
  })
  fc.assert(fc.property(anyRecord, (output) => !/\p{Cc}/u.test(tailLine(output as unknown as TailRecord, plain))))
})

t.test(
  'tail prints the newest records of an agent or the whole org, as lines or JSON, and ends on request',
  async (t) => {
    const node = await openNode(t, { PARLEY_EMULATOR: 'true', PARLEY_ALLOW_PRIVATE_URLS: 'true' })
    const agentPath = await createAgent(node)
    // Nothing listens there, so no answer of the agent is among the lines.
    await setWebhook(node, agentPath, 'http://127.0.0.1:9/')
    const binding = await node.call('POST', `${agentPath}/channels`, {
      channel: 'sms',
      mode: 'unmanaged',
      provider: 'emulator',
      auth: {},
    })
    const act = (id: string, text: string) =>
      node.call('POST', `/system/emulator/bindings/${binding.id}/_act`, { items: [{ id, from: '+15550100', text }] })
    const { env } = node
    const none = await parley(['tail', 'desk', '--no-follow'], env)
    t.same([none.code, none.stdout, none.stderr], [exitCode.done, '', ''])
    for (const word of ['One', 'Two', 'Three']) {
      await act(word, word)
      await waitUntil(async () =>
        (await parley(['tail', 'desk', '--messages', '--no-follow'], env)).stdout.includes(word),
      )
    }
    const two = await parley(['tail', 'desk', '--messages', '-n', '2', '--no-follow'], env)
    t.match(two.stdout, /^\d\d:\d\d:\d\d\.\d{3} {2}desk {2}sms +\w{12} {2}< Two\n.* < Three\n$/)
    t.notMatch(two.stdout, '5550100')
    const all = await parley(['tail', '--messages', '--json', '--no-follow'], env)
    const words = all.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    t.match(words, [{ kind: 'message', text: 'One' }, { text: 'Two' }, { text: 'Three' }])
    t.equal((await parley(['tail', 'desk', '-n', '1001', '--no-follow'], env)).code, exitCode.wrongUsage)
    t.equal((await parley(['tail', 'nobody', '--no-follow'], env)).code, exitCode.failed)

    const child = spawn(process.execPath, [main, 'tail', 'desk', '-n', '1'], {
      env: { PATH: process.env.PATH, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const closed = once(child, 'close')
    t.teardown(() => child.kill('SIGKILL'))
    let printed = ''
    child.stdout.on('data', (piece) => (printed += piece))
    await waitUntil(() => printed !== '')
    t.equal(printed.split('\n').length, 2, 'one of the past')
    await act('Four', 'Four')
    await waitUntil(() => printed.includes('< Four\n'))
    await act('Five', 'Five')
    await waitUntil(() => printed.includes('< Five\n'))
    t.equal(printed.split('< Four\n').length, 2, 'printed once, although it was polled twice')
    child.kill('SIGINT')
    t.same((await closed)[1], 'SIGINT')
  },
)
