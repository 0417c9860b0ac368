/** A visitor of the web chat books at the sample clinic, on a running node. */
import { readFileSync } from 'node:fs'
import t from 'tap'
import type { MessageFrame } from '../../../adapters/webchat/frames.js'
import { waitUntil } from '../../harness/clock.js'
import { startNode, testKey } from '../../harness/process.js'
import { createVisitor, Page } from '../../runtime/webchat/visitor.js'

t.setTimeout(300_000)

const node = await startNode()
t.teardown(() => node.clean())
const agents = `${node.mgmt}/v1/orgs/demo/agents`

// biome-ignore lint/suspicious/noExplicitAny: what is read is asserted
async function call(method: string, path: string, body?: string | Uint8Array, type = 'application/json'): Promise<any> {
  const headers = { authorization: `Bearer ${testKey}`, ...(body && { 'content-type': type }) }
  const answer = await fetch(`${agents}${path}`, { method, headers, ...(body && { body }) } as RequestInit)
  if (answer.status > 299) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
  return answer.json()
}

t.test('R27, R45, "done when": a newcomer’s agent, imported in one request, books a visit over web chat', async (t) => {
  const { id } = await call('POST', '', JSON.stringify({ name: 'My clinic' }))
  await call('POST', `/${id}/import`, readFileSync('ops/sample-managed/agent.yaml'), 'application/yaml')
  const chat = `${node.gateway}/v4/webchat/demo.${id}`
  const { token } = await createVisitor(chat)
  const page = await Page.open(chat, { token })
  const answers = () => page.entries.filter((each): each is MessageFrame => each.type === 'message')
  const shown = () =>
    answers()
      .map(({ blocks }) => JSON.stringify(blocks))
      .join('\n')
  const writes = async (text: string, expected: RegExp) => {
    const before = shown().length
    await page.text(text)
    await waitUntil(() => expected.test(shown().slice(before)))
  }
  await writes('hi', /this is the desk of Harbor Clinic/)
  await writes('I would like to book an appointment', /Which treatment would you like/)
  await writes('Sports massage', /When would you like to come/)
  await writes('1', /first name/)
  await writes('Vera', /email/)
  await writes('vera@example.com', /phone number/)
  await writes('skip', /Shall I book Sports massage for Vera/)
  await writes('yes', /You are booked, Vera/)
  await page.close()
  const { data } = await call('GET', `/${id}/people`)
  t.match(data, [{ firstName: 'Vera', email: 'vera@example.com', identities: [{ channel: 'webchat' }] }])
  t.match((await call('GET', `/${id}/people/${data[0].id}/appointments`)).data, [
    { status: 'scheduled', notes: 'Sports massage', durationMinutes: 45 },
  ])
  const turns = (await call('GET', `/${id}/turns`)).data
  t.match(turns[0], { channel: 'webchat', outcomes: ['booked'], modelCalls: [] })
})
