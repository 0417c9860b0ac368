/** A managed agent in a world, made of a document alone, and people with phones who write to it, tap and read. */
import { readFileSync } from 'node:fs'
import type { Test } from 'tap'
import type { ChannelName } from '../../../core/channelnames.js'
import { readYaml } from '../../../runtime/worker/yaml.js'
import { waitUntil } from '../../harness/clock.js'
import { createWorld, type ProviderRequest, type World, type WorldOptions } from '../../harness/world.js'

// biome-ignore lint/suspicious/noExplicitAny: what is read is asserted
type Json = any

/** The sample clinic, as an operator imports it. */
export const clinic: Json = documentOf(readFileSync('ops/sample-managed/agent.yaml'))

function documentOf(yaml: Uint8Array): Json {
  const read = readYaml(yaml)
  if ('problem' in read) throw new Error(read.problem.message)
  return read.value
}

/** What a phone got for one thing that its person did, and the records of the turns that decided it. */
export interface Answer {
  readonly texts: readonly string[]
  /** All texts, and what stands on what can be tapped. */
  readonly text: string
  readonly chips: readonly string[]
  readonly requests: readonly ProviderRequest[]
  /** Of the last turn. */
  readonly turn: Json
}

export interface Phone {
  readonly userId: string
  write(text: string): Promise<Answer>
  /** Taps the newest thing on the phone with that label. */
  tap(label: string | RegExp): Promise<Answer>
  /** Sends an item of the emulated phone that begins a turn. */
  act(item: object): Promise<Answer>
  /** Sends an item and waits for nothing. */
  send(item: object): Promise<void>
  /** What the phone got so far. */
  requests(): readonly ProviderRequest[]
  /** Records of the person's turns, newest first. */
  turns(): Promise<readonly Json[]>
  person(): Promise<Json>
  /** Waits until that many turns have ended and everything that they say has arrived. */
  waitForTurns(count: number): Promise<Answer>
}

export interface Stage extends World {
  phone(channel: ChannelName, address: string): Phone
  manage(method: string, path: string, json?: unknown): Promise<Json>
}

export interface StageOptions extends Pick<WorldOptions, 'node' | 'agent'> {
  readonly channels?: readonly ChannelName[]
}

/** An agent that has those sections of a document and nothing else; none: nothing is imported. */
export async function openStage(t: Test, document: object | undefined, options: StageOptions = {}): Promise<Stage> {
  const { channels = ['sms'], node, agent } = options
  const world = await createWorld(t, {
    agent: { hasWebhook: false, ...agent },
    channels: channels.map((channel) => ({ channel })),
    ...(node && { node }),
  })
  if (document) await world.agent.manage('POST', '/import', { format: 'agent/1', ...document })
  return { ...world, manage: world.agent.manage, phone: (channel, address) => createPhone(world, channel, address) }
}

let items = 0
/** So often a turn is looked for before time goes on. */
const pollsInPlace = 100

function createPhone({ agent, channels, clock }: World, channel: ChannelName, address: string): Phone {
  const userId = agent.userId(channel, address)
  const requests = () => channels.requests.filter((each) => each.channel === channel && each.address === address)
  const turns = async () => (await agent.manage('GET', `/turns?userId=${userId}&limit=200`)).data as readonly Json[]
  const ended = async () => (await turns()).filter(({ state }) => state !== 'open')

  async function waitForTurns(count: number, from = 0): Promise<Answer> {
    let polls = 0
    await waitUntil(async () => {
      const isEnded = (await ended()).length >= count
      // A call of a tool that is tried again waits for its time.
      if (!isEnded && ++polls > pollsInPlace) clock.advance(250)
      return isEnded
    })
    const messages: string[] = (await ended()).flatMap((turn) => turn.messages)
    await waitUntil(() => {
      const isComplete = messages.every((id) => requests().some((each) => each.id.startsWith(id)))
      // Messages of one reply keep the pace of their channel.
      if (!isComplete) clock.advance(250)
      return isComplete
    })
    const [newest] = await turns()
    return answerOf(requests().slice(from), await agent.manage('GET', `/turns/${newest.id}`))
  }

  async function send(item: object): Promise<void> {
    const body = JSON.stringify({ items: [{ id: `act ${++items}`, from: address, ...item }] })
    const { status } = await agent.ingress(channel, body)
    if (status !== 200) throw new Error(`the ingress answered ${status}`)
  }

  async function act(item: object): Promise<Answer> {
    const [before, from] = [(await turns()).length, requests().length]
    await send(item)
    return waitForTurns(before + 1, from)
  }

  return {
    userId,
    requests,
    turns,
    send,
    act,
    write: (text) => act({ text }),
    tap(label) {
      const found = requests()
        .flatMap(({ payload }) => tappablesIn(payload))
        .findLast((each) => (typeof label === 'string' ? each.label === label : label.test(each.label)))
      if (!found) throw new Error(`nothing on the phone is labelled ${label}`)
      return act({ postback: found.postback, label: found.label })
    },
    async person() {
      const { data } = await agent.manage('GET', '/people?limit=200')
      const found = data.find(({ identities }: Json) => identities?.some(({ asid }: Json) => asid === userId))
      return found && agent.manage('GET', `/people/${found.id}`)
    },
    waitForTurns,
  }
}

interface Tappable {
  readonly label: string
  readonly postback: string
}

/** Everything in a payload that has a label and can be tapped. */
function tappablesIn(value: unknown): readonly Tappable[] {
  if (typeof value !== 'object' || value === null) return []
  const { label, postback } = value as Partial<Tappable>
  const own = typeof label === 'string' && typeof postback === 'string' ? [{ label, postback }] : []
  return [...own, ...Object.values(value).flatMap(tappablesIn)]
}

/** Texts in a payload as they are read, from its first member to its last. */
function textsIn(value: unknown, name = ''): readonly string[] {
  if (typeof value === 'string') return /^(text|label|title|description)$/.test(name) ? [value] : []
  if (typeof value !== 'object' || value === null) return []
  if (Array.isArray(value)) return value.flatMap((each) => textsIn(each, name))
  return Object.entries(value).flatMap(([member, each]) => textsIn(each, member))
}

function answerOf(requests: readonly ProviderRequest[], turn: Json): Answer {
  return {
    requests,
    texts: requests.map(({ text }) => text),
    text: requests.flatMap(({ payload }) => textsIn(payload)).join('\n'),
    chips: requests.flatMap(({ payload }) => tappablesIn(payload).map(({ label }) => label)),
    turn,
  }
}

/** Lets time pass until the person is reminded of their appointment, an hour before it. */
export async function waitForReminder({ clock, manage }: Stage, phone: Phone): Promise<void> {
  const { data } = await manage('GET', `/people/${(await phone.person()).id}/appointments`)
  clock.advance(Date.parse(data[0].startUtc) - 61 * 60_000 - clock.now())
  await waitUntil(() => {
    clock.advance(5_000)
    return phone.requests().some(({ text }) => /Reminder: your appointment/.test(text))
  })
}
