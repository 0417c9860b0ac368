/** The journey platform's calls: one step after another, each for a new profile, with the API keys in turn. */
import { requestBytes } from '../../harness/load/generator.js'
import { bodyOf, firstProfile } from './fixtures.js'

export interface Calls {
  readonly path: string
  /** Each key has a budget of its own; empty for a server without keys. */
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

/** The request that a candidate asks the load to send. */
export function journeyCalls(of: Calls) {
  return { method: 'POST', path: of.path, headers: {}, body: '', made: { by: 'journey/calls', of } }
}
