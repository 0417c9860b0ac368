/**
 * A campaign over the real HTTP surface: people who wrote, an import that says they agreed, and what reached their
 * phones.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { outreachSend } from '../../core/limits/index.js'
import { waitUntil } from '../harness/clock.js'
import { type NodeProcess, startNode, testKey } from '../harness/process.js'
import { type ShownMessage, TestAgent } from '../harness/testagent.js'

t.setTimeout(240_000)

const people = 200
const phones = Array.from({ length: people }, (_, nth) => `+1415555${String(nth).padStart(4, '0')}`)
/** Half an hour of quiet after a person wrote is five seconds; hours of the day stay what they are. */
const timeScale = 360
const quietMs = outreachSend.quietMs / timeScale
const env = { PARLEY_ALLOW_PRIVATE_URLS: 'true', PARLEY_TIME_SCALE: String(timeScale) }

let node: NodeProcess = await startNode(env)
t.teardown(() => node.clean())

const testAgent = await TestAgent.open(t, node, 'Harbor Desk')
await testAgent.bind('rcs', { mode: 'unmanaged', provider: 'emulator', auth: {} })
const on = <T>(method: string, path: string, body?: unknown): Promise<T> =>
  manage(`${testAgent.agentPath}${path}`, method, body)

/** The node may have been started again, on other ports. */
async function manage<T>(path: string, method: string, body?: unknown, type = 'application/json'): Promise<T> {
  const answer = await fetch(`${node.mgmt}/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${testKey}`, 'content-type': type },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
  return text === '' ? (undefined as T) : (JSON.parse(text) as T)
}

interface Report {
  readonly states: Readonly<Record<string, number>>
  readonly total: number
}
interface View {
  readonly id: string
  readonly status: string
  readonly importBatchId: string
}

async function addressesShown(text: RegExp): Promise<string[]> {
  const all: ShownMessage[] = []
  for (let after = 0; ; after = all.at(-1)!.number) {
    const { data } = await manage<{ data: ShownMessage[] }>(`/system/emulator/shown?after=${after}`, 'GET')
    if (data.length === 0) break
    all.push(...data)
  }
  return all.filter(({ wire }) => text.test(wire.block?.text ?? '')).map(({ address }) => address)
}

t.test(
  'Two hundred people get one message each, over a pause, a kill and a resume, and the report adds up',
  async (t) => {
    await on('POST', '/message-templates', { id: 'hi', name: 'Hi', body: 'Hello {person.firstName|block-send}!' })
    await on('POST', '/outreach', { id: 'spring', name: 'Spring', class: 'marketing', openerTemplateId: 'hi' })
    const write = (items: readonly { id: string; from: string; text: string }[]) =>
      manage(`/system/emulator/bindings/${testAgent.bindings.rcs}/_act`, 'POST', { items })
    await write(phones.map((from, nth) => ({ id: `in-${nth}`, from, text: 'Good day' })))
    const countPeople = async () => {
      let count = 0
      let pageToken = ''
      do {
        const page = await on<{ data: unknown[]; nextPageToken?: string }>('GET', `/people?limit=200${pageToken}`)
        count += page.data.length
        pageToken = page.nextPageToken ? `&pageToken=${page.nextPageToken}` : ''
      } while (pageToken)
      return count
    }
    await waitUntil(async () => (await countPeople()) === people)
    // Everybody but the last agreed, and everybody but the first is called something.
    const rows = phones.map(
      (phone, nth) => `${phone},${nth === 0 ? '' : `P${nth}`},${nth < people - 1 ? 'granted' : 'denied'}`,
    )
    const csv = `phone,firstName,consent\n${rows.join('\n')}\n`
    const { importBatchId } = await manage<View>(`${testAgent.agentPath}/people/import`, 'POST', csv, 'text/csv')
    const { id } = await on<View>('POST', '/campaigns', {
      name: 'Spring',
      outreachId: 'spring',
      audience: { importBatchId },
    })
    const staged = await on<{ counts: unknown }>('POST', `/campaigns/${id}/stage`)
    t.match(staged, {
      counts: { total: people, sendable: people - 2, exclusions: { noConsent: 1, templateBlocked: 1 } },
      durationEstimate: [{ provider: 'emulator', channel: 'rcs', recipients: people - 2 }],
    })
    const report = () => on<Report>('GET', `/campaigns/${id}/report`)
    const status = async () => (await on<View>('GET', `/campaigns/${id}`)).status
    const addressesReached = async () => {
      const { states } = await report()
      return states.sent! + states.delivered! + states.read!
    }
    await sleep(quietMs)
    // A campaign does not interrupt a person who is talking: it cannot complete until they are quiet.
    await write([{ id: 'in-again', from: phones[people - 2]!, text: 'One more thing' }])
    await on('POST', `/campaigns/${id}/start`)
    await waitUntil(async () => (await addressesReached()) > 0)
    await on('POST', `/campaigns/${id}/pause`)
    t.equal(await status(), 'paused')
    const { dir } = node
    await node.end('SIGKILL')
    node = await startNode(env, dir)
    t.equal(await status(), 'paused', 'answered changes are on the disk')
    await on('POST', `/campaigns/${id}/resume`)
    await waitUntil(async () => (await status()) === 'completed')
    const { states, total } = await report()
    t.equal(total, people)
    t.equal(states.excluded, 2)
    const reachedInAll = await addressesReached()
    t.equal(
      Object.values(states).reduce((sum, count) => sum + count, 0),
      people,
    )
    t.equal(reachedInAll, people - 2)
    const rowsOf = async (state: string) =>
      (await on<{ data: unknown[] }>('GET', `/campaigns/${id}/recipients?state=${state}&limit=200`)).data.length
    for (const [state, count] of Object.entries(states)) t.equal(await rowsOf(state), count, state)
    const addresses = await addressesShown(/^Hello P/)
    t.equal(new Set(addresses).size, addresses.length, 'no recipient was listed twice')
  },
)
