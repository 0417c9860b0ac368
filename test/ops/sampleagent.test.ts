/** The sample agent as partners read and run it: what it says is valid, and it listens to nobody but Parley. */
import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { partTypes } from '../../core/amf/message.js'
import { validateMessage } from '../../core/amf/validation.js'
import { compile } from '../../core/aml/index.js'
import { signedHeaders } from '../../runtime/agentwebhook/sign.js'

interface Answer {
  readonly type: string
  readonly body: string
}
interface AgentFile {
  answerTo(event: unknown): Answer | undefined
  serve(options: { secret?: string; port?: number }): Promise<Server>
}

process.env.PICTURE_URL = 'https://harbor.example/morning.jpg'
const file = new URL('../../../ops/sample-agent/agent.mjs', import.meta.url)
const { answerTo, serve } = (await import(file.href)) as AgentFile

/** What is wrong with an answer, and the messages in it. */
function read({ type, body }: Answer): { problems: unknown[]; messages: { parts?: { type: string }[] }[] } {
  if (type === 'text/svc-aml') {
    const { message, problems } = compile(body, { now: Date.now(), zone: 'UTC' })
    return { problems: [...problems], messages: message ? [message as never] : [] }
  }
  const lines = body.split('\n').filter((line) => line !== '')
  const replies: unknown[] =
    type === 'application/json' ? JSON.parse(body).messages : lines.map((line) => JSON.parse(line).message)
  const judged = replies.map((each) => validateMessage(each))
  return {
    problems: judged.flatMap((each) => ('problems' in each ? [...each.problems] : [])),
    messages: replies as never,
  }
}

const textEvent = (text: string) => ({ type: 'message', message: { text } })
const chose = (intentId: string, id: string) => ({
  type: 'result',
  result: { intentId, optionIds: [id], labels: [`The ${id}`] },
})
const question = read(answerTo(textEvent('Hello'))!).messages[0]!.parts!.at(-1) as unknown as {
  options: { id: string }[]
}
const events = [
  textEvent('Hello'),
  textEvent('[[ what is this ]]'),
  { type: 'message', message: { place: { latitude: 1, longitude: 2 } } },
  { type: 'message', message: { media: [{ url: 'https://x.example/a.png' }] } },
  ...question.options.map(({ id }) => chose('menu', id)),
  chose('room', 'blue'),
  chose('time', 't1'),
  chose('sure', 'yes'),
  chose('sure', 'no'),
  chose('where', 'x'),
  chose('', 'breakfast'),
]

t.test('Every reply of the sample agent is valid, with every kind of part and in all three forms', async (t) => {
  const ways = new Set<string>()
  const parts = new Set<string>()
  for (const event of events) {
    const answer = answerTo(event)!
    const { problems, messages } = read(answer)
    t.same(problems, [], `${JSON.stringify(event)} is answered well`)
    ways.add(answer.type)
    for (const part of messages.flatMap((message) => message.parts ?? [])) parts.add(part.type)
  }
  t.same([...ways].sort(), ['application/json', 'application/x-ndjson', 'text/svc-aml'])
  t.same([...parts].sort(), [...partTypes].sort())
})

t.test('The sample agent does not reply to events that need no reply', async (t) => {
  for (const type of ['status', 'system', 'action']) t.equal(answerTo({ type }), undefined)
})

t.test('The sample agent answers only calls with a current signature of its secret', async (t) => {
  const secret = 'ws-svc-of-the-test'
  const server = await serve({ secret })
  t.teardown(() => server.close())
  const body = Buffer.from(JSON.stringify({ event: { event: textEvent('Hello') } }))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const status = async (headers: Record<string, string>) => (await fetch(url, { method: 'POST', headers, body })).status
  t.equal(await status(signedHeaders(secret, Date.now(), body)), 200)
  t.equal(await status({}), 401)
  t.equal(await status(signedHeaders('another', Date.now(), body)), 401)
  t.equal(await status(signedHeaders(secret, Date.now() - 400_000, body)), 401)
  t.equal(await status(signedHeaders(secret, Date.now(), Buffer.from('{}'))), 401)
})

t.test('The sample agent takes a free port if the default port is in use', async (t) => {
  const first = await serve({})
  const { port } = first.address() as AddressInfo
  const second = await serve({ port })
  t.not((second.address() as AddressInfo).port, port)
  for (const server of [first, second]) await once(server.close(), 'close')
})
