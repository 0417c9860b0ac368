/** A node whose agents are written to from emulated phones, and what is read of their people. */
import type { Test } from 'tap'
import { listen } from '../../../runtime/http/server.js'
import { openSendNode, type SendAgent } from '../outreach/sendnode.js'

export interface ListedPerson {
  readonly id: string
  readonly firstName?: string
  readonly phone?: string
  readonly identities: readonly {
    asid: string
    channel: string
    address: string
    optedOut: boolean
    lastSeenAt?: string
  }[]
}

export async function openCallers(t: Pick<Test, 'teardown'>) {
  const fixture = await openSendNode()
  const { node } = fixture
  const { clock } = node
  // Emulated phones call the gateway.
  const log = { error: (...what: unknown[]) => console.error(...what) } as never
  const listening = await listen({ host: '127.0.0.1', port: 0, serve: node.node.planes.gateway.serve, log })
  node.node.setPublicUrls({ mgmt: 'http://mgmt.test', gateway: `http://127.0.0.1:${listening.port}` })
  t.teardown(async () => {
    await listening.close(0)
    await node.close()
  })
  let sentCount = 0

  /** A text from that number to the agent. */
  async function sendText({ call }: SendAgent, from: string, text: string, channel = 'rcs'): Promise<void> {
    const bindings = (await call('GET', '/channels')).json.data as { id: string; channel: string }[]
    const binding = bindings.find((each) => each.channel === channel)!
    const items = [{ id: `in-${++sentCount}`, from, text }]
    const path = `/v1/system/emulator/bindings/${binding.id}/_act`
    const { status } = await node.mgmt('POST', path, { token: node.key, json: { items } })
    if (status !== 202) throw new Error(`the phone could not write: ${status}`)
  }

  async function importPeople(agent: SendAgent, file: string) {
    const path = `/v1/orgs/demo/agents/${agent.id}/people/import`
    const { status, json } = await node.mgmt('POST', path, {
      token: node.key,
      body: file,
      headers: { 'content-type': 'text/csv' },
    })
    if (status !== 200) throw new Error(`the file was refused: ${status} ${JSON.stringify(json)}`)
    return json
  }

  const people = async ({ call }: SendAgent): Promise<ListedPerson[]> =>
    (await call('GET', '/people?limit=200')).json.data

  /** Lets time pass until the people of the agent are as they are to be. */
  async function waitForPeople(agent: SendAgent, condition: (all: readonly ListedPerson[]) => unknown): Promise<void> {
    await eventually(async () => condition(await people(agent)))
  }

  async function eventually(condition: () => Promise<unknown>, stepMs = 0): Promise<void> {
    for (let attempts = 0; attempts < 1_000; attempts++) {
      if (await condition()) return
      await clock.advance(stepMs)
    }
    throw new Error('it never came to that')
  }

  /** An agent that is written to by sms too. */
  async function sender(): Promise<SendAgent> {
    const agent = await fixture.sender()
    await agent.call('POST', '/channels', { channel: 'sms', mode: 'unmanaged', provider: 'emulator', auth: {} })
    return agent
  }

  return { fixture, clock, sendText, importPeople, people, waitForPeople, eventually, sender }
}

export const byPerson = (personId: string) => ({ recipient: { personId } })
