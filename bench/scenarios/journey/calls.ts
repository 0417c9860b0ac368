/** The journey platform's side: one step after another, each for a profile of its own, under the keys in turn. */
import { requestBytes } from '../../harness/load/generator.js'
import { bodyOf, firstProfile } from './fixtures.js'

export interface Calls {
  readonly path: string
  /** Each has a budget of its own; a server that asks for none has none. */
  readonly keys: readonly string[]
}

export function requests({ path, keys }: Calls): () => Buffer {
  let profile = firstProfile()
  return () => {
    const key = keys[profile % keys.length]
    const headers = { 'content-type': 'application/json', ...(key !== undefined && { authorization: `Bearer ${key}` }) }
    return requestBytes({ method: 'POST', path, headers, body: bodyOf(profile++) })
  }
}

/** What a candidate asks to be sent. */
export function journeyCalls(of: Calls) {
  return { method: 'POST', path: of.path, headers: {}, body: '', made: { by: 'journey/calls', of } }
}
