/** Tokens of visitors and names of chats: what is taken, and that nothing else is. */
import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import t from 'tap'
import { chatNameOf } from '../../../core/agentref.js'
import { webchat as limits } from '../../../core/limits/index.js'
import { chatPattern, parseChatName } from '../../../runtime/webchat/chat.js'
import { createVisitorTokens } from '../../../runtime/webchat/tokens.js'
import { manualClock } from '../../harness/clock.js'

const slug = fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,62}$/)
const anyAgentRef = fc.record({ orgId: slug, agentId: slug })

t.test('A token names its agent and visitor to this installation, until it expires', async (t) => {
  const clock = manualClock()
  const tokens = createVisitorTokens(randomBytes(32), clock)
  const others = createVisitorTokens(randomBytes(32), clock)
  const harbor = { orgId: 'demo', agentId: 'harbor' }
  const visitor = { ...harbor, visitorId: 'vis_1' }
  const { token, expiresAt } = tokens.mint(visitor)
  t.equal(expiresAt, clock.now() + limits.tokenMs)
  t.same(tokens.verify(token, harbor), visitor)
  t.equal(tokens.verify(token, { orgId: 'demo', agentId: 'other' }), undefined)
  t.equal(tokens.verify(token, { orgId: 'other', agentId: 'harbor' }), undefined)
  t.equal(others.verify(token, harbor), undefined, 'another key refuses it')
  await clock.advance(limits.tokenMs - 1)
  t.same(tokens.verify(token, harbor), visitor)
  await clock.advance(1)
  t.equal(tokens.verify(token, harbor), undefined)
})

t.test('A changed token or an arbitrary text opens nothing', async () => {
  const tokens = createVisitorTokens(randomBytes(32), manualClock())
  fc.assert(
    fc.property(anyAgentRef, fc.nat(), fc.string(), (agent, at, text) => {
      const { token } = tokens.mint({ ...agent, visitorId: 'vis_1' })
      const where = at % token.length
      const swapped = token[where] === 'x' ? 'y' : 'x'
      const changed = token.slice(0, where) + swapped + token.slice(where + 1)
      return [changed, text, `${token}x`, token.slice(1)].every((each) => tokens.verify(each, agent) === undefined)
    }),
  )
})

t.test('The name of a chat maps to one agent of one org, and back', async (t) => {
  fc.assert(
    fc.property(anyAgentRef, (agent) => {
      const name = chatNameOf(agent)
      const parsed = parseChatName(name)
      return new RegExp(chatPattern).test(name) && parsed?.orgId === agent.orgId && parsed.agentId === agent.agentId
    }),
  )
  for (const name of [
    '',
    'demo',
    'demo.',
    '.harbor',
    'demo.harbor.desk',
    'Demo.harbor',
    'demo/harbor',
    'demo.harbor\n',
  ])
    t.equal(parseChatName(name), undefined, JSON.stringify(name))
})
