/** What Twilio sends in: signatures as its own SDK has them, what each call becomes, and that nothing makes it fail. */
import fc from 'fast-check'
import t from 'tap'
import twilio from 'twilio'
import { readForm as readFormWithin } from '../../../../adapters/kit/urlencoded.js'
import { twilioAdapter } from '../../../../adapters/sms/twilio/adapter.js'
import { concatParameters, isSigned, signatureOf } from '../../../../adapters/sms/twilio/signature.js'
import type { IngressRequest, IngressResult } from '../../../../core/channel/adapter.js'
import { ingressBounds } from '../../../../core/limits/index.js'
import { address, auth, digestQuery, fieldsIn, formBody, forms, ingressUrl, signatureFor } from './samples.js'

interface Call {
  readonly url?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly method?: 'GET' | 'POST'
}

function requestOf(
  body: Uint8Array | string,
  { url = ingressUrl, headers, method = 'POST' }: Call = {},
): IngressRequest {
  const given = headers ?? signatureFor(url, body, auth.authToken)
  return {
    bindingId: 'cb_1',
    method,
    url,
    header: (name) => given[name.toLowerCase()] ?? '',
    body: Buffer.from(body),
    at: Date.UTC(2026, 10, 20),
  }
}

const receive = (body: Uint8Array | string, call?: Call): IngressResult =>
  twilioAdapter.receive(requestOf(body, call), auth)

const limits = ingressBounds.twilioForm
const readForm = (body: Uint8Array) => readFormWithin(body, limits) ?? new URLSearchParams()

t.test('Every call becomes the matching item', async (t) => {
  for (const [name, { fields, items }] of Object.entries(forms)) {
    t.same(receive(formBody(fields)), { kind: 'items', items }, name)
  }
})

t.test('The published example of a signature validates', async (t) => {
  const form = readForm(
    Buffer.from('CallSid=CA1234567890ABCDE&Caller=%2B12349013030&Digits=1234&From=%2B12349013030&To=%2B18005551212'),
  )
  const signature = signatureOf('12345', 'https://mycompany.com/myapp.php?foo=1&bar=2', concatParameters(form))
  t.equal(signature, '0/KCTR6DLpKmkAf8muzZqo1nDgQ=')
})

const word = fc.string({ unit: 'grapheme', maxLength: 12 }).filter((text) => text.isWellFormed())
const bodies = fc
  .array(fc.tuple(fc.oneof(word, fc.constantFrom('Body', 'From', 'To', 'MessageSid', 'a', 'A', '1')), word), {
    maxLength: 8,
  })
  .map((pairs) => new URLSearchParams(pairs).toString())
const urls = fc.constantFrom(
  ingressUrl,
  `${ingressUrl}?id=1&b=%20x`,
  `${ingressUrl}?q='quoted'`,
  'https://gateway.example:443/v4/ingress/cb_1',
  'https://gateway.example:8443/v4/ingress/cb_1?x=y',
  'http://127.0.0.1:8080/v4/ingress/cb_1',
  'http://[::1]:8080/v4/ingress/cb_1',
)

/** What people type, what is written out of it, and what nobody would: signs that mean something, cut anywhere. */
const plainPiece = fc.constantFrom(
  '%',
  '+',
  '=',
  '&',
  '%2',
  '%zz',
  '%2b',
  '%2B',
  '%26',
  '%00',
  '?',
  'a',
  ' ',
  'a%7e',
  '%7',
)
const piece = fc.oneof(
  plainPiece,
  fc.constantFrom('%ff', '%C3', '%C3%A9', '%E2%82%AC', 'é', '😀'),
  fc.string({ unit: 'grapheme', maxLength: 4 }).map(encodeURIComponent),
)
const writings = fc.oneof(fc.array(plainPiece, { maxLength: 20 }), fc.array(piece, { maxLength: 12 }))

t.test('A form is decoded like Twilio decodes it, in any encoding', async () => {
  fc.assert(
    fc.property(writings, (pieces) => {
      const text = pieces.join('')
      const form = readForm(Buffer.from(text))
      const expected = new URLSearchParams(`?${text}`)
      const read = JSON.stringify([...form])
      if (read !== JSON.stringify([...expected])) throw new Error(`${text} is read as ${read}`)
    }),
    { numRuns: 2_000 },
  )
})

t.test('Our signature and the one of Twilio’s SDK agree for any address and form, in both directions', async () => {
  fc.assert(
    fc.property(urls, bodies, fc.boolean(), (url, body, isRight) => {
      const token = isRight ? auth.authToken : 'another token'
      const headers = signatureFor(url, body, token)
      const request = requestOf(body, { url, headers })
      const ours = isSigned(request, readForm(request.body), auth.authToken)
      if (ours !== isRight) throw new Error(`a signature of the SDK is ${ours ? 'taken' : 'refused'}`)
      const made = signatureOf(auth.authToken, url, concatParameters(readForm(request.body)))
      const portless = twilio.validateRequest(auth.authToken, made, url, fieldsIn(body))
      const hasOddPort = /:8\d+/.test(url)
      if (!portless && !hasOddPort) throw new Error('the SDK refuses our signature')
    }),
    { numRuns: 500 },
  )
})

t.test('A signature is valid with and without the port of the address', async (t) => {
  const body = formBody(forms['a text']!.fields)
  const [plain, ported] = ['https://gateway.example/v4/ingress/cb_1', 'https://gateway.example:443/v4/ingress/cb_1']
  for (const [signed, called] of [
    [plain, ported],
    [ported, plain],
    [plain, 'https://gateway.example:8443/v4/ingress/cb_1'],
  ] as const) {
    const headers = signatureFor(signed, body, auth.authToken)
    t.equal(receive(body, { url: called, headers }).kind, 'items', `${signed} called as ${called}`)
    t.ok(twilio.validateRequest(auth.authToken, headers['x-twilio-signature']!, called, fieldsIn(body)))
  }
  const elsewhere = signatureFor('https://other.example/v4/ingress/cb_1', body, auth.authToken)
  t.equal(receive(body, { headers: elsewhere }).kind, 'refused', 'another host')
})

t.test('Unknown fields are part of the signature', async (t) => {
  const fields = { ...forms['a text']!.fields, NextYearsField: 'of next year' }
  const body = formBody(fields)
  t.equal(receive(body).kind, 'items')
  const { NextYearsField: _, ...without } = fields
  t.equal(receive(formBody(without), { headers: signatureFor(ingressUrl, body, auth.authToken) }).kind, 'refused')
})

t.test('A body that is not a form is signed by its digest in the address', async (t) => {
  const body = JSON.stringify({ MessageSid: 'SM1', MessageStatus: 'delivered', To: address, ErrorCode: 30003 })
  const url = `${ingressUrl}?${digestQuery(body)}`
  t.same(receive(body, { url }), {
    kind: 'items',
    items: [
      {
        id: 'SM1 delivered',
        address,
        inbound: { kind: 'receipt', receipt: { providerId: 'SM1', state: 'delivered' } },
      },
    ],
  })
  const headers = signatureFor(url, body, auth.authToken)
  t.ok(twilio.validateRequestWithBody(auth.authToken, headers['x-twilio-signature']!, url, body), 'as the SDK has it')
  t.equal(receive(`${body} `, { url, headers }).kind, 'refused', 'another body')
  t.equal(receive(body, { url: `${ingressUrl}?${digestQuery('x')}`, headers }).kind, 'refused', 'another digest')
  const foreign = `${ingressUrl}?${digestQuery('no JSON')}`
  t.match(receive('no JSON', { url: foreign }), { kind: 'items', items: [{ problem: String }] })
})

t.test('A form of more bytes or parameters than Twilio sends is refused, even if it is signed', async (t) => {
  const { fields } = forms['a text']!
  const spare = limits.parameters - Object.keys(fields).length
  const withMore = (count: number) => `${formBody(fields)}${'&a=1'.repeat(count)}`
  t.equal(receive(withMore(spare)).kind, 'items', 'as many parameters as are read')
  t.equal(receive(withMore(spare + 1)).kind, 'refused', 'one parameter more')
  const ofBytes = (bytes: number) => `${formBody(fields)}&a=`.padEnd(bytes, 'x')
  t.equal(receive(ofBytes(limits.bytes)).kind, 'items', 'as many bytes as are read')
  t.equal(receive(ofBytes(limits.bytes + 1)).kind, 'refused', 'one byte more')
  const bomb = `${'%=%&'.repeat(262_142)}é`
  t.equal(receive(bomb, { headers: signatureFor(ingressUrl, 'a=b', auth.authToken) }).kind, 'refused')
})

t.test('A wrong, missing or foreign signature is refused', async (t) => {
  const body = formBody(forms.delivered!.fields)
  t.equal(receive(body, { headers: {} }).kind, 'refused')
  t.equal(receive(body, { headers: { 'x-twilio-signature': '' } }).kind, 'refused')
  t.equal(receive(body, { headers: signatureFor(ingressUrl, body, 'another token') }).kind, 'refused')
  t.equal(receive('', { headers: {} }).kind, 'refused')
  t.equal(receive(body, { method: 'GET' }).kind, 'refused', 'Twilio is asked to post')
})

t.test('One changed byte changes the signature, unless Twilio itself treats it as the same', async () => {
  const all = Object.values(forms).map(({ fields }) => formBody(fields))
  fc.assert(
    fc.property(fc.constantFrom(...all), fc.nat(), fc.integer({ min: 1, max: 255 }), (text, at, change) => {
      const body = Buffer.from(text)
      const headers = signatureFor(ingressUrl, body, auth.authToken)
      const changed = Buffer.from(body)
      changed[at % body.length]! ^= change
      // It writes names and values one behind the other: `ToCountry&US` reads as `ToCountry=US` does.
      const given = headers['x-twilio-signature']!
      const isSame = twilio.validateRequest(auth.authToken, given, ingressUrl, fieldsIn(changed.toString()))
      const isAccepted = receive(changed, { headers }).kind !== 'refused'
      if (isAccepted !== isSame) throw new Error(`${isAccepted ? 'accepted' : 'refused'}: ${changed}`)
      const signature = Buffer.from(given, 'latin1')
      signature[at % signature.length]! ^= change
      if (receive(body, { headers: { 'x-twilio-signature': signature.toString('latin1') } }).kind !== 'refused')
        throw new Error(`accepted: ${signature}`)
    }),
    { numRuns: 1_000 },
  )
})

t.test('A repeated state has the same id, and another state another', async (t) => {
  const idOf = (fields: Readonly<Record<string, string>>) => {
    const received = receive(formBody(fields))
    const [item] = received.kind === 'items' ? received.items : []
    return item && 'id' in item ? item.id : undefined
  }
  const { fields } = forms.delivered!
  t.equal(idOf(fields), idOf({ ...fields, ApiVersion: 'another' }))
  const states = ['sent', 'delivered', 'read', 'undelivered']
  const ids = states.map((MessageStatus) => idOf({ ...fields, MessageStatus }))
  t.equal(new Set(ids).size, 4)
})

t.test('Unreadable input is a problem, not an exception', async (t) => {
  const odd: Readonly<Record<string, string>>[] = [
    {},
    { MessageSid: 'SM1' },
    { MessageSid: 'SM1', MessageStatus: 'delivered' },
    { MessageSid: 'SM1', MessageStatus: '__proto__', To: address },
    { MessageStatus: 'delivered', To: address },
  ]
  for (const fields of odd) {
    t.match(receive(formBody(fields)), { kind: 'items', items: [{ problem: String }] }, JSON.stringify(fields))
  }
})

t.test('A message without text or with files that cannot be opened reaches the agent as a notice', async (t) => {
  const from = { MessageSid: 'SM1', From: address }
  const wordsOf = (fields: object) => {
    const received = receive(formBody({ ...from, ...fields }))
    const [item] = received.kind === 'items' ? received.items : []
    return item && 'inbound' in item && item.inbound.kind === 'content' ? item.inbound.content : undefined
  }
  const [message, file] = ['message', 'file'].map((what) => `[The person sent a ${what} that cannot be shown here]`)
  for (const fields of [{ Body: '' }, {}, { NumMedia: '-1' }, { NumMedia: 'x' }]) {
    t.same(wordsOf(fields), { text: message }, JSON.stringify(fields))
  }
  for (const NumMedia of ['1', '1e9', 'Infinity']) t.same(wordsOf({ NumMedia }), { text: file }, NumMedia)
  const MediaUrl0 = `https://api.twilio.com/${'x'.repeat(2_000)}`
  t.same(wordsOf({ Body: 'Look', NumMedia: '1', MediaUrl0 }), { text: `Look\n${file}` }, 'too long an address')
  const many = Object.fromEntries(Array.from({ length: 11 }, (_, at) => [`MediaUrl${at}`, `https://cdn.example/${at}`]))
  const content = wordsOf({ NumMedia: '11', ...many })
  t.equal(content?.media?.length, 10)
  t.equal(content?.text, file, 'more than a message has')
})

t.test('No body, signed or not, makes the adapter throw', async () => {
  const anything = fc.oneof(
    fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
    bodies.map((text) => Buffer.from(text)),
    fc.json().map((text) => Buffer.from(text)),
  )
  fc.assert(
    fc.property(anything, fc.boolean(), (body, isJson) => {
      const url = isJson ? `${ingressUrl}?${digestQuery(body as unknown as string)}` : ingressUrl
      const received = receive(body, { url })
      if (received.kind === 'refused') throw new Error('what the SDK signs is not refused')
      receive(body, { headers: {} })
      receive(body, { url: String(body), headers: {} })
    }),
    { numRuns: 1_000 },
  )
})
