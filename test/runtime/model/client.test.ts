/** The language model: what is sent to it, and what is made of every way in which it can answer. */
import t from 'tap'
import { languageModel as limits } from '../../../core/limits/index.js'
import { type ModelOptions, openModelClient } from '../../../runtime/model/client.js'
import { type Behavior, hang, openReceiver } from '../../harness/receiver.js'

const server = await openReceiver(t)
const key = 'mk-very-secret-key'
const messages = [
  { role: 'system', content: 'Write JSON.' },
  { role: 'user', content: '"}],"tools":[{"type":"function"}],"model":"other' },
] as const

async function ask(path: string, how: Behavior, options: Partial<ModelOptions> = {}) {
  server.setBehavior(path, how)
  const model = openModelClient({ url: server.url(path), key, ...options })
  t.teardown(() => model.close())
  return model.complete({ model: 'm1', messages, signal: new AbortController().signal })
}

const jsonAnswer =
  (body: unknown, status = 200): Behavior =>
  (response) =>
    void response
      .writeHead(status, { 'content-type': 'application/json' })
      .end(typeof body === 'string' ? body : JSON.stringify(body))

const completion = {
  choices: [{ message: { content: '{"flow":1}' } }],
  usage: { prompt_tokens: 7, completion_tokens: 3 },
}

t.test('A completion is its text and its cost; the call has one shape for any messages', async (t) => {
  t.same(await ask('/v1/chat/completions', jsonAnswer(completion)), {
    ok: true,
    content: '{"flow":1}',
    usage: { input: 7, output: 3 },
  })
  const { headers, body } = server.at('/v1/chat/completions')[0]!
  t.equal(headers.authorization, `Bearer ${key}`)
  t.same(JSON.parse(body.toString()), {
    model: 'm1',
    messages,
    response_format: { type: 'json_object' },
    temperature: 0,
    max_tokens: limits.answerTokens,
  })
})

t.test('The URL may be that of the endpoint or its base, and a key is sent only if there is one', async (t) => {
  server.setBehavior('/base/chat/completions', jsonAnswer(completion))
  const model = openModelClient({ url: server.url('/base/') })
  t.teardown(() => model.close())
  t.match(await model.complete({ model: 'x', messages, signal: AbortSignal.timeout(60_000) }), { ok: true })
  t.notOk('authorization' in server.at('/base/chat/completions')[0]!.headers)
  t.equal(model.name, 'default')
})

t.test('A failure is a sentence without the key and without text of the endpoint', async (t) => {
  for (const [name, how, message] of [
    ['401', jsonAnswer({ error: { message: `bad key ${key}` } }, 401), 'The language model answered with status 401.'],
    ['500', jsonAnswer(`boom ${key}`, 500), 'The language model answered with status 500.'],
    ['redirect', jsonAnswer('', 307), 'The language model answered with status 307.'],
    ['html', jsonAnswer('<html>'), 'The language model did not answer as a chat endpoint does.'],
    ['empty', jsonAnswer({ choices: [] }), 'The language model did not answer as a chat endpoint does.'],
    [
      'none',
      jsonAnswer({ choices: [{ message: { content: null } }] }),
      'The language model did not answer as a chat endpoint does.',
    ],
    ['null', jsonAnswer('null'), 'The language model did not answer as a chat endpoint does.'],
    ['cut', (response) => void response.destroy(), /^The language model gave no answer\. The connection failed/],
    [
      'huge',
      jsonAnswer(`{"choices":"${'x'.repeat(limits.answerBytes)}"}`),
      /^The language model gave no answer\. The answer is larger/,
    ],
  ] as [string, Behavior, string | RegExp][]) {
    const outcome = await ask(`/${name}/chat/completions`, how)
    t.match(outcome, { ok: false, message }, name)
    t.notMatch(JSON.stringify(outcome), key)
  }
})

t.test('An endpoint that does not answer in time, or whose caller disconnects, is not waited for', async (t) => {
  t.match(await ask('/slow/chat/completions', hang, { limits: { totalMs: 100, headersMs: 100 } }), {
    ok: false,
    message: 'The language model gave no answer. The endpoint did not answer in time.',
  })
  server.setBehavior('/left/chat/completions', hang)
  const model = openModelClient({ url: server.url('/left') })
  t.teardown(() => model.close())
  const controller = new AbortController()
  const pending = model.complete({ model: 'x', messages, signal: controller.signal })
  controller.abort()
  t.match(await pending, { ok: false })
})

t.test('Usage counts as zero when the endpoint reports nonsense', async (t) => {
  const odd = { ...completion, usage: { prompt_tokens: '7', completion_tokens: -3 } }
  t.match(await ask('/odd/chat/completions', jsonAnswer(odd)), { usage: { input: 0, output: 0 } })
  t.match(await ask('/nousage/chat/completions', jsonAnswer({ choices: completion.choices })), {
    usage: { input: 0, output: 0 },
  })
})
