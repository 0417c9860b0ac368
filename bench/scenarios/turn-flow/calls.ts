/** The emulated provider's calls in the turn scenarios, each signed, with a text of the next person. */
import { signatureHeader, signatureOf } from '../../../adapters/emulator/adapter.js'
import { requestBytes } from '../../harness/load/generator.js'
import type { Ready } from '../../harness/rpc.js'
import { addressOf, type Phones } from '../messages/phones.js'
import { people } from './agent.js'

export interface Calls {
  readonly phones: Phones
  /** Written in turn; `#` becomes the number of the text. */
  readonly texts: readonly string[]
}

/** The load of these texts from all people in turn. */
export function createTextLoad(calls: Calls): Ready {
  const request = { method: 'POST', path: '', headers: {}, body: '', made: { by: 'turn-flow/calls', of: calls } }
  return { port: Number(new URL(calls.phones.url).port), request }
}

export function requests({ phones: { url, bindingId, keyHex }, texts }: Calls): () => Buffer {
  const path = new URL(url).pathname
  const key = Buffer.from(keyHex, 'hex')
  const window = process.hrtime.bigint().toString(36)
  let sequence = 0
  return () => {
    const number = sequence++
    const body = JSON.stringify({
      items: [{ id: `${window}-${number}`, from: addressOf(number % people), text: textAt(texts, number) }],
    })
    const signature = signatureOf(key, bindingId, Buffer.from(body))
    const headers = { 'content-type': 'application/json', [signatureHeader]: signature }
    return requestBytes({ method: 'POST', path, headers, body })
  }
}

export function textAt(texts: readonly string[], number: number): string {
  return texts[number % texts.length]!.replace('#', String(number))
}
