/** `parley campaign`: a real rehearsal from draft to end, and how a run looks while it is watched. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import fc from 'fast-check'
import t from 'tap'
import {
  type CampaignSnapshot,
  progressLine,
  progressOf,
  reportLines,
  stagedLines,
  watchLines,
} from '../../../runtime/cli/campaignlines.js'
import { createRateMeter, watchCampaign } from '../../../runtime/cli/campaignwatch.js'
import { createTerminal } from '../../../runtime/cli/terminal.js'
import { createAgent, exitCode, openNode, parley, scratch } from './parley.js'

// A whole node runs here, on a machine that may be busy.
t.setTimeout(200_000)

const plain = (text: string) => text

function reportOf(
  status: string,
  states: Record<string, number>,
  reasons: Record<string, number> = {},
): CampaignSnapshot {
  return { campaign: { id: 'cm_1', name: 'May', outreachId: 'welcome', status }, states, reasons }
}

t.test('A campaign is created, staged, started, watched to its end and reported on', async (t) => {
  const node = await openNode(t)
  const agentPath = await createAgent(node)
  const { env } = node
  const personas: string[] = []
  for (const name of ['Ann', 'Bo', 'Cy']) {
    const fields = { firstName: name, phone: '+14155550100', customFields: { city: 'Bergen' } }
    personas.push(
      (await node.call('POST', `${agentPath}/personas`, { name, fields, consent: { status: 'granted' } })).id,
    )
  }
  const options = ['--name', 'May', '--outreach', 'welcome']
  const made = await parley(['campaign', 'create', 'desk', ...options, '--personas', ...personas, '--json'], env)
  t.equal(made.code, exitCode.done, made.stderr)
  t.match(made.json, { name: 'May', outreachId: 'welcome', status: 'draft' })
  const { id } = made.json
  const early = await parley(['campaign', 'start', 'desk', id], env)
  t.equal(early.code, exitCode.failed, 'a campaign that is not staged does not start')
  const staged = await parley(['campaign', 'stage', 'desk', id], env)
  t.equal(staged.code, exitCode.done, staged.stderr)
  t.match(staged.stdout, /^3 of 3 people will be sent to\.$/m)
  t.match(staged.stdout, /^The first of them reads: Hi (?:Ann|Bo|Cy), Bergen is ready\.$/m)
  const started = await parley(['campaign', 'start', 'desk', id], env)
  t.match(
    started.stdout,
    new RegExp(
      `^CAMPAIGN +NAME +OUTREACH +STATUS +AUDIENCE +SENDABLE\\n${id} +May +welcome +(?:running|completed) +3 +3$`,
      'm',
    ),
  )
  const watched = await parley(['campaign', 'watch', 'desk', id], env)
  t.equal(watched.code, exitCode.done, watched.stderr)
  t.match(watched.stdout, /\[#{30}\] 100 % {2}3 of 3 .*completed\n$/)
  const { json } = await parley(['campaign', 'report', 'desk', id, '--json'], env)
  t.match(progressOf(json), { done: 3, total: 3 })
  t.match((await parley(['campaign', 'report', 'desk', id], env)).stdout, /^STATE +PEOPLE\n/)
  t.match((await parley(['campaign', 'list', 'desk', '--json'], env)).json, [{ id, status: 'completed' }])

  const people = join(scratch(t), 'people.txt')
  writeFileSync(people, 'pr_1\npr_2\n\n')
  const second = await parley(
    ['campaign', 'create', 'desk', ...options, '--people', people, '--no-previously-contacted', '--json'],
    env,
  )
  t.match(second.json, { status: 'draft', includePreviouslyContacted: false })
  const cancelled = await parley(['campaign', 'cancel', 'desk', second.json.id, '--json'], env)
  t.equal(cancelled.json.status, 'cancelled')
  const ended = await parley(['campaign', 'watch', 'desk', second.json.id, '--json'], env)
  t.equal(ended.code, exitCode.failed)
  t.match(JSON.parse(ended.stderr), { error: { message: 'The campaign "May" ended cancelled.', exitCode: 1 } })
  t.match(JSON.parse(ended.stdout.trim()), { campaign: { status: 'cancelled' }, states: {} })
  for (const audience of [[], ['--segment', 's', '--personas', 'p'], ['--people', join(people, 'none')]]) {
    const wrong = await parley(['campaign', 'create', 'desk', ...options, ...audience], env)
    t.equal(wrong.code, exitCode.wrongUsage, audience.join(' '))
  }
})

t.test('Progress counts all recipients, and the bar always has the same length', async (t) => {
  const names = [
    'pending',
    'queued',
    'sending',
    'sent',
    'delivered',
    'read',
    'failed',
    'suppressed',
    'cancelled',
    'excluded',
  ]
  const anyStates = fc.record(Object.fromEntries(names.map((name) => [name, fc.nat(100_000)])))
  fc.assert(
    fc.property(
      anyStates,
      fc.option(fc.double({ min: 0, max: 5_000, noNaN: true }), { nil: undefined }),
      (states, rate) => {
        const { done, total } = progressOf({ states, reasons: {} })
        const all = Object.values(states).reduce((sum, count) => sum + count, 0)
        const open = states.pending! + states.queued! + states.sending!
        const [, bar = ''] = /^\[([#.]*)\]/.exec(progressLine(reportOf('running', states), rate)) ?? []
        return total === all - states.excluded! && done === total - open && bar.length === 30
      },
    ),
  )
  t.equal(
    progressLine(reportOf('running', { pending: 600, sending: 150, sent: 200, failed: 50, excluded: 9 }), 12.5),
    '[########......................] 25 %  250 of 1,000  13 a second  about 1 min 0 s left  running',
  )
  t.equal(progressLine(reportOf('draft', {}), undefined), `[${'.'.repeat(30)}] 0 %  0 of 0  draft`)
})

t.test('The rate is that of the last polls, and starts anew after a pause', async (t) => {
  const pace = createRateMeter()
  const at = (sent: number, ms: number, status = 'running') =>
    pace(reportOf(status, { sent, pending: 1_000 - sent }), ms)
  t.equal(at(0, 0), undefined)
  t.equal(at(100, 1_000), 100)
  t.equal(at(300, 2_000), 150)
  t.equal(at(300, 3_000, 'paused'), undefined)
  t.equal(at(300, 4_000), undefined)
  t.equal(at(310, 5_000), 10)
  for (let poll = 0; poll < 20; poll++) at(310 + poll, 6_000 + poll * 1_000)
  t.equal(at(430, 26_000), (430 - 321) / 9, 'the oldest looks are forgotten')
})

t.test('Staging, progress and report are formatted for people', async (t) => {
  const counts = { total: 1_200, sendable: 1_000, exclusions: { noConsent: 150, optedOut: 50, templateBlocked: 0 } }
  const durationEstimate = [{ provider: 'twilio', recipients: 1_000, seconds: 90 }]
  t.strictSame(stagedLines({ counts, durationEstimate, previews: [{ text: 'Hi\nAnn' }] }, plain), [
    '1,000 of 1,200 people will be sent to.',
    'twilio: 1,000 people in about 1 min 30 s.',
    'The first of them reads: Hi ⏎ Ann',
    '',
    'LEFT OUT    PEOPLE',
    'no_consent     150',
    'opted_out       50',
  ])
  const unpaced = stagedLines({ counts, durationEstimate: [{ provider: 'emulator', recipients: 2 }] }, plain)
  t.equal(unpaced[1], 'emulator: 2 people without a limit on the rate.')
  const run = reportOf('running', { pending: 0, sent: 9_000, failed: 12 }, { no_route: 12 })
  t.strictSame(reportLines(run, plain), [
    'STATE   PEOPLE',
    'sent     9,000',
    'failed      12',
    '',
    'REASON    PEOPLE',
    'no_route      12',
  ])
  const painted = createTerminal({ isTTY: true, write: () => {}, hasColors: () => true }, { write: () => {} }).paint
  const lines = watchLines(run, 300, painted)
  t.strictSame(lines.map(stripVTControlCharacters), watchLines(run, 300, plain), 'colour changes no text')
  t.match(lines.join('\n'), '\u001b[31mfailed', 'failures are red')
})

t.test('On a terminal each output replaces the last, and an unreachable node is reported and awaited', async (t) => {
  const states = [
    reportOf('running', { pending: 1, sent: 1 }),
    'away',
    {
      ...reportOf('failed', { cancelled: 1, sent: 1 }),
      campaign: { ...reportOf('failed', {}).campaign, failReason: 'the binding is gone' },
    },
  ] as const
  let poll = 0
  let screen = ''
  const printed: string[] = []
  const get = async (path: string): Promise<never> => {
    const now = states[Math.min(Math.floor(poll / 2), 2)]!
    poll++
    if (now === 'away') {
      const { Failure } = await import('../../../runtime/cli/failure.js')
      throw new Failure('Nobody answers.')
    }
    return (path.endsWith('/report') ? { states: now.states, reasons: now.reasons } : now.campaign) as never
  }
  const terminal = createTerminal(
    { isTTY: true, rows: 24, write: (text) => (screen += text) },
    { write: (text) => printed.push(text) },
  )
  const session = { api: { url: 'http://x', get } as never, terminal, json: false, env: {}, org: undefined }
  await t.rejects(watchCampaign(session, '/c'), { message: 'The campaign "May" ended failed: the binding is gone.' })
  t.same(printed, ['Nobody answers.\n'])
  const drawings = screen.split('\u001b[H\u001b[J').slice(1)
  t.equal(drawings.length, 2)
  t.match(drawings[0], /50 % {2}1 of 2 {2}running/)
  t.match(drawings[1], /100 % {2}2 of 2 {2}failed/)
})
