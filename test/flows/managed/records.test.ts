/** What operators read of managed turns: records, their filters, and log lines. */
import t from 'tap'
import { waitUntil } from '../../harness/clock.js'
import { clinic, openStage } from './stage.js'

t.setTimeout(300_000)

t.test('R58, R59: the record of a turn says what came, what was decided and why, and what was said', async (t) => {
  const stage = await openStage(t, clinic)
  const ann = stage.phone('sms', '+12075550220')
  await ann.write('Book a visit')
  const { turn } = await ann.write('Sports massage')
  t.match(turn, {
    ...{ agentId: 'desk', channel: 'sms', state: 'completed', userId: ann.userId },
    trigger: { kind: 'result', text: /massage/i },
    definition: { digest: /./ },
    playbook: { before: 'book', after: 'book', why: 'session' },
    flow: { from: 'book:0', to: 'book:1', slots: { treatment: 'Sports massage' } },
    ...{ modelCalls: [], usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0 } },
  })
  t.equal(turn.messages.length, 1)
  const { data } = await stage.manage('GET', `/turns?playbookId=book&state=completed`)
  t.equal(data.length, 2)
  t.same(
    data.map(({ trace }: { trace?: unknown }) => trace),
    [undefined, undefined],
    'a list has no traces',
  )
  t.same((await stage.manage('GET', `/turns?warning=model.absent`)).data, [])
  const [bob] = [stage.phone('sms', '+12075550221')]
  await bob.write('Do you have parking?')
  t.equal((await stage.manage('GET', `/turns?userId=${bob.userId}`)).data.length, 1)
})

t.test('R58: another agent, an unknown turn and a malformed id are not found', async (t) => {
  const stage = await openStage(t, clinic)
  for (const id of ['nothing', 'usr_x.1-1', '%2e%2e']) await t.rejects(stage.manage('GET', `/turns/${id}`), /404/)
})

t.test('R59: what a person told the agent about themselves is masked in the record', async (t) => {
  const stage = await openStage(t, clinic)
  const ann = stage.phone('sms', '+12075550222')
  for (const text of ['Book a visit', '1', '1', 'Annabel', 'annabel@example.com']) await ann.write(text)
  const { turn } = await ann.write('skip')
  t.match(turn.flow.slots, { treatment: 'First assessment', name: '…', email: '…' })
})

t.test('R61: a turn leaves the lines of its log: dispatched, what was decided, and replied', async (t) => {
  const stage = await openStage(t, clinic)
  const ann = stage.phone('sms', '+12075550223')
  const { turn } = await ann.write('Do you have parking?')
  const events = async () =>
    (await stage.manage('GET', '/logs?limit=200')).data.filter(
      ({ data }: { data?: { turnId?: string } }) => data?.turnId === turn.id,
    )
  await waitUntil(async () => (await events()).length >= 4)
  const lines = await events()
  const names = lines.map(({ event }: { event: string }) => event)
  for (const name of ['framework.dispatched', 'playbook.entered', 'knowledge.searched', 'framework.replied'])
    t.ok(names.includes(name), name)
  t.match(lines[0], { userId: ann.userId, sessionId: turn.sessionId, channel: 'sms' })
  t.notMatch(JSON.stringify(lines), /parking\?/, 'no words of the person')
})
