/** A person who writes to the agent: answers, nonsense, taps, several things at once, STOP and START. */
import type { Inbound } from '../../../core/channel/inbound.js'
import type { ChannelName } from '../../../core/channelnames.js'
import type { ConversationCommands, Identity } from '../../../runtime/conversation/contract.js'
import { attempt } from '../load/target.js'
import type { Rng } from '../world/rng.js'
import type { World } from '../world.js'
import { agent, contextOf, type Operator } from './operator.js'
import type { Phones } from './phones.js'

export interface PersonOptions {
  readonly asid: string
  readonly acts: number
  readonly thinkMs: number
  readonly rng: Rng
  readonly world: Pick<World, 'targets' | 'timeline' | 'trace'>
  readonly commands: Pick<ConversationCommands, 'receiveInbound'>
  readonly operator: Pick<Operator, 'current' | 'isDeleted'>
  readonly phones: Phones
  /** Whether nothing new should begin. */
  readonly over: () => boolean
}

export interface Person {
  readonly asid: string
  readonly channel: ChannelName
  /** Does one thing after the other. */
  live(): Promise<void>
  /** Opts in if need be, and writes once more; resolves when that is on record. */
  sayLastWord(): Promise<void>
}

export const lastWord = 'Are you still there?'

const words = {
  answers: ['Ada', 'small', 'large', '2', '7', '99', 'yes', 'no', 'Small please, for 2'],
  wishes: [
    'book a visit',
    'I want to book a visit',
    ...Array<string>(5).fill('take the survey'),
    'When are you open?',
    'talk to a human',
  ],
  nonsense: ['blub', '???', 'never mind', 'cancel', 'The weather is fine today', 'a'.repeat(5_000)],
}

/** What fits the question of the newest message. */
const fitting: readonly (readonly [question: RegExp, answer: string])[] = [
  [/your name/, 'Ada'],
  [/small/, 'small'],
  [/guests/, '2'],
  [/everything fine|Shall I/, 'yes'],
]

const weights = { tap: 6, answer: 14, wish: 24, nonsense: 2, pair: 3, batch: 2, stop: 1, wishAndStop: 6, help: 1 }
type Act = keyof typeof weights

const patienceMs = [2_000, 15_000] as const
const retryMs = [50, 1_000] as const

export function createPerson(options: PersonOptions): Person {
  const { asid, rng, world, commands, operator, phones } = options
  const { targets, timeline, trace } = world
  const channel = rng.pick(['sms', 'rcs'] as const)
  const identity: Identity = { asid, agent, channel, address: `+1555010${asid.slice(1)}` }
  const acts = (Object.keys(weights) as Act[]).flatMap((act) => Array<Act>(weights[act]).fill(act))
  let isOptedOut = false
  let items = 0

  /** One call of the provider, repeated until it is acknowledged. */
  async function send(inbounds: readonly Inbound[]): Promise<void> {
    const batch = inbounds.map((inbound) => ({ id: `${asid}-${items++}`, inbound }))
    trace.note(`${asid} sends ${batch.map(({ id, inbound }) => `${id} ${textOf(inbound)}`).join(' and ')}`)
    while (!operator.isDeleted()) {
      const open = targets()
      const { routing } = operator.current()
      if (open.length > 0) {
        const target = rng.pick(open)
        const input = { identity, agent: contextOf(channel, routing?.webhook === undefined), items: batch }
        const call = () => target.engine.execute(asid, commands.receiveInbound, input)
        const { kind } = await attempt(target, timeline, rng.between(...patienceMs), call)
        if (kind === 'answered') return
      }
      await timeline.sleep(rng.between(...retryMs))
    }
  }

  async function stop(): Promise<void> {
    isOptedOut = true
    await send([content('STOP')])
  }

  async function start(): Promise<void> {
    await send([content('START')])
    isOptedOut = false
  }

  const pickText = () => rng.pick(words[rng.pick(['answers', 'answers', 'wishes', 'nonsense'] as const)])

  const does: Record<Act, () => Promise<void>> = {
    async tap() {
      const taps = phones.taps(asid)
      if (taps.length === 0) return send([content(rng.pick(words.wishes))])
      const { messageId, tapIndex, label } = rng.chance(0.7) ? taps[0]! : rng.pick(taps)
      return send([rng.chance(0.8) ? { kind: 'tap', messageId, tapIndex, label } : content(label || 'yes')])
    },
    answer: () => {
      const newest = phones.newest(asid)
      const [, answer = rng.pick(words.answers)] = fitting.find(([question]) => question.test(newest)) ?? []
      return send([content(answer)])
    },
    wish: () => send([content(rng.pick(words.wishes))]),
    nonsense: () => send([content(rng.pick(words.nonsense))]),
    async pair() {
      const second = timeline.sleep(rng.between(0, 200)).then(() => send([content(pickText())]))
      await Promise.all([send([content(pickText())]), second])
    },
    batch: () => send(Array.from({ length: 2 + rng.below(3) }, () => content(pickText()))),
    stop,
    /** The STOP comes while the turn may wait for a tool, and sometimes a new turn before the tool has answered. */
    async wishAndStop() {
      await send([content(rng.pick(['take the survey', 'yes', 'large']))])
      await timeline.sleep(rng.between(0, 800))
      await stop()
      if (rng.chance(0.5)) return
      await start()
      await send([content('take the survey')])
    },
    help: () => send([content('HELP')]),
  }

  return {
    asid,
    channel,
    async live() {
      for (let act = 0; act < options.acts && !options.over() && !operator.isDeleted(); act++) {
        await timeline.sleep(rng.between(0, options.thinkMs * 2))
        if (isOptedOut && rng.chance(0.6)) await start()
        else await does[rng.pick(acts)]()
      }
    },
    async sayLastWord() {
      if (isOptedOut) await start()
      await send([content(lastWord)])
    },
  }
}

function content(text: string): Inbound {
  return { kind: 'content', content: { text } }
}

function textOf(inbound: Inbound): string {
  if (inbound.kind === 'tap') return `taps ${inbound.messageId} ${inbound.tapIndex}`
  return inbound.kind === 'content' ? JSON.stringify(inbound.content.text).slice(0, 40) : inbound.kind
}
