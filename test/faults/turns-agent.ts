/** The managed agent of the turn faults, and every call about it, each to any node until one has answered. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { TurnRecord } from '../../core/turn/record.js'
import type { Rng } from '../sim/world/rng.js'
import { exchange, headers } from './call.js'
import type { FaultNode, Plane } from './faultnode.js'
import { definiteAnswer } from './sends-agent.js'
import type { TurnEndpoints } from './turns-endpoints.js'
import { flows, pictureFlows, playbooksFor, toolsFor } from './turns-flows.js'

/** A record as the API shows it. */
export type SeenTurn = Omit<TurnRecord, 'startedAt' | 'endedAt'> & {
  readonly startedAt: string
  readonly endedAt?: string
}

export interface TurnAgent {
  /** A person sends a text that no other test has sent. Resolves when it is on record. */
  write(phone: string, text: string): Promise<void>
  /** The turn that has the text and has ended, if there is one. */
  turnOf(text: string): Promise<SeenTurn | undefined>
  /** All turns of a person with their calls, oldest first. */
  turns(userId: string): Promise<readonly SeenTurn[]>
  /** The newest turns of anybody, for the message of a failure. */
  describeTurns(): Promise<string>
  /** Ids of the answers that were accepted for the person, oldest first. */
  answers(userId: string): Promise<readonly string[]>
  /** Ids of the answers that their provider took or refused, each as often as that is on record. */
  settled(userId: string): Promise<readonly string[]>
  /** The person's appointments that are not cancelled. */
  countAppointments(personId: string): Promise<number>
  /** From now on the flows show another picture: a node has never fetched it before. */
  setPicture(url: string): Promise<void>
  setWebhook(url: string | undefined): Promise<void>
}

const agents = '/v1/orgs/demo/agents'
const answerMs = 15_000
const retryMs = 50
/** More than a person has of anything. */
const pageSize = 200

export async function openTurnAgent(
  faultNodes: readonly FaultNode[],
  endpoints: TurnEndpoints,
  rng: Rng,
): Promise<TurnAgent> {
  let token = ''
  const mgmt = { headers }

  async function call<T>(
    method: string,
    path: string,
    body?: object,
    plane: Plane = 'mgmt',
    request: Pick<RequestInit, 'headers'> = mgmt,
  ): Promise<T> {
    for (;;) {
      const sent = { ...request, method, ...(body && { body: JSON.stringify(body) }) }
      const answer = definiteAnswer(await exchange(rng.pick(faultNodes).url(plane), path, answerMs, sent))
      if (answer && answer.status < 300) return JSON.parse(answer.text || 'null') as T
      if (answer) throw new Error(`${method} ${path} was answered ${answer.status} ${answer.text}`)
      await sleep(retryMs)
    }
  }

  const { id } = await call<{ id: string }>('POST', agents, { name: 'Turns' })
  const own = `${agents}/${id}`
  const document = { playbooks: playbooksFor(`${endpoints.url}/pictures/0`), ...toolsFor(endpoints.url) }
  await call('POST', `${own}/import`, { format: 'agent/1', ...document })
  const channel = { channel: 'sms', mode: 'unmanaged', provider: 'emulator' }
  const { id: bindingId } = await call<{ id: string }>('POST', `${own}/channels`, channel)

  async function list<T>(path: string, query = ''): Promise<readonly T[]> {
    const { data } = await call<{ data: readonly T[] }>('GET', `${own}/${path}?limit=${pageSize}${query}`)
    return data
  }

  return {
    async write(phone, text) {
      const items = [{ id: `${phone} ${text}`, from: phone, text }]
      await call('POST', `/v1/system/emulator/bindings/${bindingId}/_act`, { items })
    },
    async turnOf(text) {
      const found = (await list<SeenTurn>('turns')).find(({ trigger }) => trigger.text?.split('\n').includes(text))
      return found && found.state !== 'open' ? call('GET', `${own}/turns/${found.id}`) : undefined
    },
    async turns(userId) {
      const listed = await list<SeenTurn>('turns', `&userId=${userId}`)
      return Promise.all(listed.toReversed().map(({ id: turnId }) => call<SeenTurn>('GET', `${own}/turns/${turnId}`)))
    },
    async describeTurns() {
      const newest = (await list<SeenTurn>('turns')).slice(0, 5)
      return newest.map(({ id: turnId, state, trigger }) => `${turnId} ${state} "${trigger.text}"`).join('; ')
    },
    async answers(userId) {
      const sent = await list<{ messageId: string; subtype?: string; text?: string }>(
        'messages',
        `&userId=${userId}&origin=agent&type=content`,
      )
      return sent.toReversed().map(({ messageId }) => messageId)
    },
    async settled(userId) {
      const statuses = await list<{ messageId: string; subtype?: string }>(
        'messages',
        `&userId=${userId}&origin=agent&type=status`,
      )
      const isEnd = (subtype?: string) => subtype === 'sent' || subtype === 'failed'
      return statuses.filter(({ subtype }) => isEnd(subtype)).map(({ messageId }) => messageId)
    },
    async countAppointments(personId) {
      const { data } = await call<{ data: { status: string }[] }>('GET', `${own}/people/${personId}/appointments`)
      return data.filter(({ status }) => status !== 'cancelled').length
    },
    async setPicture(url) {
      for (const name of pictureFlows) await call('PATCH', `${own}/playbooks/${name}`, { flow: flows[name](url) })
    },
    async setWebhook(url) {
      token ||= (await call<{ accessToken: string }>('POST', `${own}/gateway/_rotateToken`, {})).accessToken
      const request = { headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' } }
      if (url === undefined) await call('DELETE', '/v4/webhook', undefined, 'gateway', request)
      else await call('POST', '/v4/webhook', { webhookUrl: url }, 'gateway', request)
    },
  }
}
