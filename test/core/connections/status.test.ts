/** The statuses of a sign-in move by the table of the contract and in no other way. */
import fc from 'fast-check'
import t from 'tap'
import { listCatalog } from '../../../core/catalogs/index.js'
import { connectionField, providerOfTool, signInTools } from '../../../core/catalogs/tooloauth.js'
import {
  connectionStates,
  failures,
  isUsable,
  nextState,
  statuses,
  transitions,
  triggers,
} from '../../../core/connections/status.js'

t.test('A connected sign-in expires, is revoked or fails, each by its own trigger', async (t) => {
  t.equal(nextState('connected', 'refreshFailed'), 'expired')
  t.equal(nextState('connected', 'grantRejected'), 'revoked')
  for (const status of statuses) {
    t.equal(nextState(status, 'callFailed'), 'error')
    t.equal(nextState(status, 'disconnected'), 'not-connected')
  }
  for (const state of connectionStates) t.equal(nextState(state, 'granted'), 'connected')
  t.equal(nextState('error', 'callSucceeded'), 'connected')
})

t.test('Only a person can reconnect an ended sign-in', async (t) => {
  for (const status of ['expired', 'revoked'] as const) {
    const grantTriggers = triggers.filter((on) => nextState(status, on) === 'connected')
    t.same(grantTriggers, ['granted'])
    t.notOk(isUsable(status))
  }
  t.ok(isUsable('connected') && isUsable('error'))
})

t.test('No two transitions begin alike, and any walk stays among the statuses', async (t) => {
  const begins = transitions.flatMap(({ from, on }) => from.map((each) => `${each} ${on}`))
  t.equal(new Set(begins).size, begins.length)
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...triggers)), (steps) => {
      const end = steps.reduce(
        (at, on) => nextState(at, on) ?? at,
        'not-connected' as (typeof connectionStates)[number],
      )
      return connectionStates.includes(end) && (steps.includes('granted') || end === 'not-connected')
    }),
  )
})

t.test('Operators get a sentence about a failed sign-in', async (t) => {
  for (const sentence of Object.values(failures)) t.match(sentence, /^[A-Z][\w ,.-]+\.$/)
})

t.test('Every tool with a sign-in is in the catalog and can name a connection instead', async (t) => {
  const tools = new Map(listCatalog('tools').map((tool) => [tool.id, tool]))
  t.ok(signInTools.length > 0)
  for (const id of signInTools) {
    t.match(providerOfTool(id), /^[a-z]+$/)
    t.ok(tools.get(id)?.configSchema?.properties[connectionField], id)
  }
  for (const [id, tool] of tools) {
    const names = Object.keys(tool.configSchema?.properties ?? {})
    t.equal(names.includes(connectionField), signInTools.includes(id), `${id} names one only if it can use it`)
  }
  for (const odd of ['', '__proto__', 'toString', '@svc/tool.none']) t.equal(providerOfTool(odd), undefined)
})
