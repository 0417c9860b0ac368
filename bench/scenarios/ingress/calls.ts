/**
 * The provider's calls in the ingress scenario, each a new message with its own signature. Calls for some seconds are
 * signed before the window begins, so that the load takes no processor time from the candidate.
 */
import { requestBytes } from '../../harness/load/generator.js'
import { account, addressOf, messageText, people, signatureOver, signedText } from './fixtures.js'

export interface Calls {
  /** The URL that the provider calls and signs. */
  readonly url: string
}

export function requests({ url }: Calls): () => Buffer {
  const { pathname } = new URL(url)
  const window = process.hrtime.bigint().toString(36)
  const idOf = (sequence: string) => `SM${window}${sequence.padStart(sequenceChars, '0')}`
  /** Placeholders as long as the values that differ between calls. */
  const anyId = idOf('x'.repeat(sequenceChars))
  const anySignature = 'x'.repeat(signatureOver('').length)

  function callsOf(person: number): (id: string) => Buffer {
    const fields = {
      AccountSid: account.accountSid,
      Body: messageText,
      From: addressOf(person),
      MessageSid: anyId,
      NumMedia: '0',
      NumSegments: '1',
      To: account.from,
    }
    const headers = { 'content-type': 'application/x-www-form-urlencoded', 'x-twilio-signature': anySignature }
    const body = new URLSearchParams(fields).toString()
    const [head, rest] = splitAt(
      requestBytes({ method: 'POST', path: pathname, headers, body }).toString(),
      anySignature,
    )
    const [middle, tail] = splitAt(rest, anyId)
    const [signedHead, signedTail] = splitAt(signedText(url, fields), anyId)
    return (id) => Buffer.from(head + signatureOver(signedHead + id + signedTail) + middle + id + tail, 'latin1')
  }

  const calls = Array.from({ length: people }, (_, person) => callsOf(person))
  const callFor = (sequence: number) => calls[sequence % people]!(idOf(String(sequence)))
  const prepared = Array.from({ length: preparedCalls }, (_, sequence) => callFor(sequence))
  let sequence = 0
  return () => prepared[sequence++] ?? callFor(sequence - 1)
}

const sequenceChars = 10
const preparedCalls = 40_000

function splitAt(text: string, at: string): [before: string, after: string] {
  const from = text.indexOf(at)
  return [text.slice(0, from), text.slice(from + at.length)]
}
