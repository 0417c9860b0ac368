/** What holds for any flow and any inputs. */
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import t from 'tap'
import { slotTypes } from '../../../core/agent/resources/flow.js'
import type { FlowEnvironment, FlowFrame, FlowInput, FlowProgress } from '../../../core/flow/contract.js'
import { enterFlow, keyOfCall, runFlow } from '../../../core/flow/index.js'
import { flow as limits } from '../../../core/limits/index.js'
import { kindOfTool } from '../../../core/tools/builtin.js'
import { isDone, type ToolCall, type ToolOutcome } from '../../../core/tools/contract.js'
import { anyText } from '../../harness/arbitraries.js'
import { checkSay, documentWith, done, type Flow, now, person } from './talk.js'

const slotNames = ['a', 'b', 'c', 'constructor', 'party-size']
const stepIds = ['s1', 's2', 's3', 'gone']
const playbookIds = ['main', 'two', 'three', 'gone']
const one = <T>(...values: T[]) => fc.constantFrom(...values)

const text = fc.oneof(
  one(
    'Hi',
    'Hi {a}!',
    '{a} {slots.b|none} {person.firstName} {last.integration.crm.id} {error}',
    'template:t',
    'template:gone',
  ),
  one('[[chips: {a} | B]]', '{', '', ' ', '{a', '[[', '{a|block-send}', '**{c}**'),
  anyText({ maxLength: 20 }),
)
const condition = one(
  'a exists',
  'a == gold',
  'b > 3 or not c',
  'error',
  'they are angry',
  'last.integration.crm.id == 1',
  '((',
  '',
)
const slot = fc.record(
  {
    name: one(...slotNames),
    type: one(...slotTypes),
    required: fc.boolean(),
    bind: one('person.email', 'person.customFields.plan', 'person.nothing', 'agent.name'),
    options: fc.array(one('Gold', 'Silver', '2', ' ', 'x'.repeat(300), 'Gold', 'yes', '\u0007'), {
      minLength: 1,
      maxLength: 4,
    }),
    source: one('scheduling.availability', 'integration:list', 'nowhere', 'knowledge.search'),
    prompt: text,
    validate: one('email', 'max:5', '/^g/', '/(/', 'nice', 'minLength:2'),
    confirm: fc.boolean(),
  },
  { requiredKeys: ['name', 'type'] },
)
const step = fc
  .tuple(
    fc.option(one('s1', 's2', 's3'), { nil: undefined }),
    fc.oneof(
      {
        weight: 4,
        arbitrary: fc.record({
          collect: fc.oneof(one(...slotNames), fc.array(one(...slotNames), { minLength: 1, maxLength: 3 })),
        }),
      },
      {
        weight: 2,
        arbitrary: fc.record({
          say: fc.oneof(text, fc.record({ text, suggestions: fc.array(text, { maxLength: 4 }) })),
        }),
      },
      {
        weight: 3,
        arbitrary: fc.record(
          {
            action: one(
              'scheduling.book',
              'people.save',
              'notify.team',
              'knowledge.search',
              'integration:crm',
              'nowhere.go',
              'tool:@svc/tool.order-lookup',
            ),
            with: one({ a: '{a}', n: 1 }, { deep: [{ x: '{b} and {c}' }], start: '{a}' }, {}),
            confirm: text,
            on_error: one('retry' as const, 'handoff' as const, 'branch' as const),
          },
          { requiredKeys: ['action'] },
        ),
      },
      {
        weight: 2,
        arbitrary: fc.record(
          {
            branch: fc.array(fc.record({ if: condition, goto: one(...stepIds) }), { minLength: 1, maxLength: 3 }),
            else: one(...stepIds),
          },
          { requiredKeys: ['branch'] },
        ),
      },
      { weight: 1, arbitrary: fc.record({ call: one(...playbookIds) }) },
      { weight: 1, arbitrary: fc.record({ handoff: one('human', 'playbook:two', 'gone') }) },
      {
        weight: 1,
        arbitrary: fc.record({
          end: fc.record({ outcome: one('x'), handoff: one('human', 'two') }, { requiredKeys: ['outcome'] }),
        }),
      },
      { weight: 1, arbitrary: fc.constant({}) },
    ),
  )
  .map(([id, kind]) => ({ ...kind, ...(id !== undefined && { id }) }))
const flow = fc.record(
  {
    slots: fc.array(slot, { minLength: 3, maxLength: 6 }),
    steps: fc.array(step, { minLength: 2, maxLength: 12 }),
    onComplete: one('return' as const, 'end' as const),
  },
  { requiredKeys: ['slots', 'steps'] },
) as fc.Arbitrary<Flow>

const outcome = one<ToolOutcome>(
  done({ id: 1, slots: [{ id: 'a', start: '2030-05-14T15:00:00Z' }, { start: 'x' }], options: ['Gold', 'North'] }),
  done(['North', { id: 'n' }]),
  done(null),
  { state: 'captured', result: {} },
  { state: 'refused', reason: 'The *time* is [[taken]].' },
  { state: 'failed', reason: 'Away.' },
  { state: 'unknown', reason: 'Who knows.' },
  { state: 'cancelled', reason: 'Cut.' },
)
/** What the person does: writes, taps one of what was asked so far, or taps something else. */
const act = fc.oneof(
  fc.record({
    write: fc.oneof(
      one(
        '4',
        'yes',
        'no',
        'gold',
        'a@b.co',
        'tomorrow',
        'cancel',
        'skip',
        'my a is gold',
        'change the b',
        'no, c is 2',
        '+14155550132',
        '1',
      ),
      anyText({ maxLength: 30 }),
    ),
    isAnswerable: fc.boolean(),
  }),
  fc.record({ tap: fc.nat(9), option: fc.nat(3), via: one('tap' as const, 'text' as const) }),
  fc.record({ odd: one('chips', 'showcase', 'confirm'), id: one('m1', 'flow:main:a:1', 'flow:main:=x:1') }),
)
type Act =
  | { write: string; isAnswerable: boolean }
  | { tap: number; option: number; via: 'tap' | 'text' }
  | { odd: string; id: string }

interface Seen {
  readonly intents: { type: string; intentId: string; options: readonly string[] }[]
}

function inputOf(each: Act, { intents }: Seen): FlowInput {
  if ('write' in each) return { kind: 'message', text: each.write, isAnswerable: each.isAnswerable }
  const asked = 'tap' in each ? intents.at(-1 - (each.tap % Math.max(1, intents.length))) : undefined
  const [intent, intentId] = 'odd' in each ? [each.odd, each.id] : [asked?.type ?? 'chips', asked?.intentId ?? 'm1']
  const option = ('option' in each && asked ? asked.options[each.option % asked.options.length] : undefined) ?? 'yes'
  const via = 'via' in each ? each.via : 'tap'
  return {
    kind: 'result',
    result: { intent, intentId, optionIds: [option], labels: [option], via, text: 'gold, 4, a@b.co' },
  }
}

const world = fc.record({
  flows: fc.record({ main: flow, two: flow, three: fc.option(flow, { nil: undefined }) }),
  entry: one('', 'Hello', 'gold for 4 on May 14, a@b.co'),
  acts: fc.array(act, { maxLength: 12 }) as fc.Arbitrary<Act[]>,
  outcomes: fc.array(outcome, { minLength: 1, maxLength: 4 }),
  hasPerson: fc.boolean(),
  refuses: one(undefined, 'integration:crm', 'scheduling.availability'),
})

/** Throws, so that a failure is shrunk. */
function must(holds: boolean, what: string): void {
  if (!holds) throw new Error(what)
}

t.test(
  'Any flow takes any inputs: it never throws, stays within its limits, repeats itself exactly, and repeats no action',
  async (t) => {
    let questions = 0
    let calls = 0
    const endings = new Set<string>()
    fc.assert(
      fc.property(world, ({ flows, entry, acts, outcomes, hasPerson, refuses }) => {
        const document = documentWith(flows, { messageTemplates: [{ id: 't', name: 'T', body: 'T' }] })
        const seen: Seen = { intents: [] }
        let nth = 0
        const answer = (): ToolOutcome => outcomes[nth++ % outcomes.length]!
        let stack: readonly FlowFrame[] = [enterFlow({ id: 'main' })]
        let repeatable: { key: string; may: number } | undefined
        const finished = new Map<string, number>()
        /** The keys of the calls inside that each step has made. */
        const inside = new Map<string, Set<string>>()

        function run(input: FlowInput): FlowProgress {
          const reads = new Map<string, ToolOutcome>()
          for (;;) {
            const environment: FlowEnvironment = {
              document,
              agent: { name: 'Salon' },
              ...(hasPerson && { person: { ...person, email: 'x@y.co', customFields: { plan: 'gold' } } }),
              now,
              zone: 'Europe/Paris',
              reads,
              refusal: (_playbookId: string, call: ToolCall) => (call.name === refuses ? 'Not *allowed*.' : undefined),
            }
            const progress = runFlow(stack, input, environment)
            const stored = JSON.parse(JSON.stringify(stack))
            must(
              isDeepStrictEqual(runFlow(stored, input, environment), progress),
              'the same input gives the same progress',
            )
            const held =
              progress.next.kind === 'digression' && !(input.kind === 'message' && input.isAnswerable)
                ? progress.next.otherwise
                : progress
            must(held.trace.length <= limits.stepsPerTurn && held.stack.length <= limits.depth, 'limits hold')
            if (held.next.kind !== 'read') return held
            must(reads.size < 9 && !reads.has(keyOfCall(held.next.call)), 'a read is asked for once')
            reads.set(keyOfCall(held.next.call), answer())
          }
        }

        let input: FlowInput | undefined = { kind: 'enter', text: entry }
        for (let turns = 0; input && turns < 80; turns++) {
          const progress: FlowProgress = run(input)
          for (const say of progress.say) {
            checkSay(say)
            if (say.kind !== 'part' || !('intentId' in say.part)) continue
            questions++
            const { part } = say
            const options =
              part.type === 'ask.choice'
                ? part.options
                : part.type === 'ask.time'
                  ? part.slots
                  : [{ id: 'yes' }, { id: 'no' }]
            seen.intents.push({ type: part.type, intentId: part.intentId, options: options.map(({ id }) => id) })
          }
          must(isDeepStrictEqual(JSON.parse(JSON.stringify(progress.stack)), progress.stack), 'frames are plain data')
          // A flow that is called again has a frame of its own.
          if (progress.trace.some((entry) => entry.endsWith(' call'))) {
            for (const key of finished.keys()) if (!key.startsWith('1 ')) finished.delete(key)
          }
          stack = progress.stack
          const { next } = progress
          endings.add(next.kind)
          if (next.kind === 'call') {
            calls++
            const key = `${stack.length} ${stack.at(-1)?.playbookId} ${keyOfCall(next.call)}`
            const attempt: number =
              stack.at(-1)?.waiting?.kind === 'call' ? (stack.at(-1)!.waiting as { attempt: number }).attempt : 0
            must(attempt === 1 || attempt === 2, 'a call is attempted twice at most')
            const allowed = repeatable?.key === key ? repeatable.may : 0
            must((finished.get(key) ?? 0) <= allowed, `${next.call.name} is not repeated`)
            const came = answer()
            finished.set(key, (finished.get(key) ?? 0) + 1)
            // A failure may be tried once more; a refusal did nothing, so the same may be asked for again.
            if (came.state === 'refused' && next.call.name === 'scheduling.book') finished.delete(key)
            // What another call of the same step inside has replaced may be done again.
            if (isDone(came) && kindOfTool(next.call.name) === 'inside') {
              const place = `${stack.length} ${stack.at(-1)?.playbookId} ${stack.at(-1)?.step}`
              const made = inside.get(place) ?? new Set()
              for (const other of made) if (other !== key) finished.delete(other)
              inside.set(place, made.add(key))
            }
            repeatable = came.state === 'failed' && attempt === 1 ? { key, may: 1 } : undefined
            input = { kind: 'outcome', outcome: came }
          } else if (next.kind === 'wait' || next.kind === 'digression') {
            must(progress.say.length > 0, 'a question is asked in words')
            const each = acts[turns % Math.max(1, acts.length)]
            input = turns < acts.length * 2 && each ? inputOf(each, seen) : undefined
          } else input = undefined
        }
      }),
      { numRuns: 300 },
    )
    t.ok(questions > 100 && calls > 20, `${questions} questions and ${calls} calls were made`)
    t.same(
      [...endings].filter((kind) => ['wait', 'call', 'human', 'playbook', 'done'].includes(kind)).length,
      5,
      'every end was seen',
    )
  },
)

t.test('No stack of frames makes the engine throw, also one that no engine wrote', async (t) => {
  const odd = fc.record(
    {
      playbookId: one(...playbookIds),
      step: one(0, 1, 7, 1_000),
      slots: fc.dictionary(one(...slotNames), fc.oneof(one<string | number | boolean>('x', 3, true))),
      waiting: fc.oneof(
        fc.record({ kind: one('slot' as const), slot: one(...slotNames, 'gone') }),
        fc.record({
          kind: one('slotConfirm' as const),
          slot: one(...slotNames, 'gone'),
          intentId: one('flow:main:a?:1'),
        }),
        fc.record({ kind: one('actionConfirm' as const), key: one('k'), intentId: one('flow:main:=k:1') }),
        fc.record({
          kind: one('call' as const),
          key: one('k'),
          call: one<ToolCall>({ name: 'integration:crm', arguments: {} }),
          attempt: one(1, 2),
        }),
      ),
    },
    { requiredKeys: ['playbookId', 'step', 'slots'] },
  )
  const inputs = fc.oneof(
    act.map((each) => inputOf(each as Act, { intents: [] })),
    fc.record({ kind: one('outcome' as const), outcome }),
    fc.record({ kind: one('enter' as const), text: anyText({ maxLength: 10 }) }),
  )
  fc.assert(
    fc.property(
      fc.array(odd, { maxLength: 9 }),
      fc.record({ main: flow, two: flow }),
      inputs,
      (stack, flows, input) => {
        const environment = {
          document: documentWith(flows),
          agent: { name: 'S' },
          now,
          zone: 'Nowhere/Land',
          reads: new Map(),
          refusal: () => undefined,
        }
        const { next, say } = runFlow(stack, input, environment)
        for (const each of say) checkSay(each)
        t.type(next.kind, 'string')
      },
    ),
    { numRuns: 300 },
  )
})
