/**
 * A real node that is killed under load: what it acknowledged comes about after its restart, in order for each person.
 */
import t, { type Test } from 'tap'
import { signatureHeader, signatureOf } from '../../../adapters/emulator/adapter.js'
import { loadOrCreateSecretKey } from '../../../runtime/secrets/rootkey.js'
import { deriveKey } from '../../../runtime/secrets/seal.js'
import { waitUntil } from '../../harness/clock.js'
import { type NodeProcess, startNode, testKey } from '../../harness/process.js'
import { answer, hang, openReceiver } from '../../harness/receiver.js'
import { type Envelope, textMessage } from './fixture.js'

const people = Array.from({ length: 6 }, (_, n) => `+155506${10 + n}`)

/** An agent on sms whose webhook is the receiver, with phones that speak to it. */
async function openAgent(t: Test) {
  const receiver = await openReceiver(t)
  let node: NodeProcess = await startNode()
  t.teardown(() => node.clean())

  async function call(url: string, token: string, body: unknown) {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const reply = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
    if (!reply.ok) throw new Error(`${url}: ${reply.status} ${await reply.text()}`)
    // biome-ignore lint/suspicious/noExplicitAny: what is read is asserted
    return (await reply.json()) as any
  }

  const agents = `${node.mgmt}/v1/orgs/demo/agents`
  const { id } = await call(agents, testKey, { name: 'Desk' })
  const channel = { channel: 'sms', mode: 'unmanaged', provider: 'emulator' }
  const { id: bindingId } = await call(`${agents}/${id}/channels`, testKey, channel)
  const { accessToken } = await call(`${agents}/${id}/gateway/_rotateToken`, testKey, {})
  await call(`${node.gateway}/v4/webhook`, accessToken, { webhookUrl: receiver.url('/hook') })
  const key = deriveKey(loadOrCreateSecretKey(node.dir).key, 'emulated phones')
  return {
    receiver,
    envelopes: (): Envelope[] => receiver.at('/hook').map(({ body }) => JSON.parse(body.toString())),
    async sendText(from: string, text: string): Promise<void> {
      const body = JSON.stringify({ items: [{ id: `${from} ${text}`, from, text }] })
      const headers = { [signatureHeader]: signatureOf(key, bindingId, Buffer.from(body)) }
      const reply = await fetch(`${node.gateway}/v4/ingress/${bindingId}`, { method: 'POST', headers, body })
      if (!reply.ok) throw new Error(`the ingress answered ${reply.status}`)
    },
    send: (userId: string, text: string) =>
      call(`${node.gateway}/v4/messages`, accessToken, { userId, messages: [textMessage(text)] }),
    /** Everybody does it on and on until there were so many answers; then the node is killed in the middle of it. */
    async killUnderLoad(count: number, act: (person: string, n: number) => Promise<void>): Promise<void> {
      let isOver = false
      let done = 0
      const loads = people.map(async (person) => {
        for (let n = 0; !isOver; n++) {
          try {
            await act(person, n)
            done++
          } catch {
            // It may or may not have been taken, and nobody was told.
            return
          }
        }
      })
      await waitUntil(() => done >= count)
      await node.end('SIGKILL')
      isOver = true
      await Promise.all(loads)
    },
    async restart(): Promise<void> {
      node = await startNode({}, node.dir)
    },
  }
}

t.test('What was acknowledged to a provider reaches the webhook, though the process is killed', async (t) => {
  const agent = await openAgent(t)
  // Nothing gets through before, so that what arrives later comes from the record alone.
  agent.receiver.setBehavior('/hook', hang)
  const acknowledged: string[] = []
  await agent.killUnderLoad(40, async (person, n) => {
    await agent.sendText(person, `${person} ${n}`)
    acknowledged.push(`${person} ${n}`)
  })
  const before = agent.envelopes().length
  agent.receiver.setBehavior('/hook', answer(204))
  await agent.restart()
  const receivedTexts = () =>
    agent
      .envelopes()
      .slice(before)
      .flatMap(({ event: { event } }) => (event.type === 'message' ? [event.message.text!] : []))
  await waitUntil(() => acknowledged.every((words) => receivedTexts().includes(words)))
  t.equal(new Set(receivedTexts()).size, receivedTexts().length, 'each once')
  for (const person of people) {
    const numbers = receivedTexts()
      .filter((words) => words.startsWith(person))
      .map((words) => Number(words.split(' ')[1]))
    t.same(numbers, [...numbers.keys()], 'in order, with none left out')
  }
})

t.test('Every message that was accepted is sent, in order for each person, though the process is killed', async (t) => {
  const agent = await openAgent(t)
  for (const person of people) await agent.sendText(person, 'hello')
  const seen = () => new Set(agent.envelopes().map(({ userId }) => userId))
  await waitUntil(() => seen().size === people.length)
  const ids = [...seen()]
  const accepted = new Map<string, string[]>(ids.map((userId) => [userId, []]))
  await agent.killUnderLoad(40, async (person, n) => {
    const userId = ids[people.indexOf(person)]!
    const { results } = await agent.send(userId, `word ${n}`)
    accepted.get(userId)!.push(results[0].messageId)
  })
  await agent.restart()
  const sentTo = (person: string) => {
    const states = agent
      .envelopes()
      .filter(({ userId }) => userId === person)
      .flatMap(({ event: { event } }) => (event.type === 'status' ? [event.status] : []))
    return [...new Set(states.filter(({ state }) => state === 'sent').map(({ messageId }) => messageId))]
  }
  await waitUntil(() => [...accepted].every(([person, sent]) => sent.every((id) => sentTo(person).includes(id))))
  for (const [person, sent] of accepted) {
    // The one whose answer was cut off may have been taken, and then comes last.
    t.same(sentTo(person).slice(0, sent.length), sent)
    t.ok(sentTo(person).length <= sent.length + 1)
  }
})
