/** Outreach links as data: their bounds, what closes one, and what the agent opens with. */
import fc from 'fast-check'
import t from 'tap'
import { validateMessage } from '../../../core/amf/index.js'
import { traitsOf } from '../../../core/channel/channeltraits.js'
import { isRefusal } from '../../../core/errors.js'
import { outreachLink as limits } from '../../../core/limits/index.js'
import { defaultGreeting } from '../../../core/links/greeting.js'
import {
  closedReason,
  createLink,
  disableDeletedBinding,
  type Link,
  linkView,
  setDisabled,
} from '../../../core/links/link.js'
import { render } from '../../../core/render/render.js'

const at = Date.parse('2026-03-01T12:00:00Z')
const about = { id: 'lnk_1', code: 'code', at }

function newLink(fields: object = {}): Link {
  const link = createLink({ bindingId: 'cb_1', ...fields }, about)
  if (isRefusal(link)) throw new Error(link.detail)
  return link
}

t.test('A link has 25 uses and two weeks by default', async (t) => {
  t.match(linkView(newLink(), 'https://a.example/'), {
    maxUses: 25,
    usesRemaining: 25,
    redemptionCount: 0,
    expiresAt: '2026-03-15T12:00:00.000Z',
    disabled: false,
  })
})

t.test('A link expires in the future, and within 30 days', async (t) => {
  const in30Days = at + limits.lifetimeMaxMs
  t.equal(newLink({ expiresAt: new Date(in30Days).toISOString() }).expiresAt, in30Days)
  t.equal(newLink({ expiresAt: new Date(at + 1).toISOString() }).expiresAt, at + 1)
  for (const expiresAt of [new Date(in30Days + 1).toISOString(), new Date(at).toISOString(), 'soon']) {
    t.match(createLink({ bindingId: 'cb_1', expiresAt }, about), { status: 400, detail: /^expiresAt: must be/ })
  }
})

t.test('A link is open unless a reason closes it, and it names the reason', async (t) => {
  const link = newLink()
  t.equal(closedReason(link, at, true), undefined)
  t.equal(closedReason(link, link.expiresAt - 1, true), undefined)
  t.equal(closedReason(link, link.expiresAt, true), 'The link has expired.')
  t.equal(closedReason({ ...link, uses: link.maxUses }, at, true), 'The link is used up.')
  t.equal(closedReason({ ...link, uses: link.maxUses - 1 }, at, true), undefined)
  t.equal(closedReason(setDisabled(link, true), at, true), 'The link is disabled.')
  t.equal(closedReason(disableDeletedBinding(link), at, true), 'The channel of the link was deleted.')
  t.equal(closedReason(link, at, false), 'The channel of the link is not in service.')
})

t.test('A deleted binding closes every link with its reason, and only resuming reopens them', async (t) => {
  const paused = setDisabled(newLink(), true)
  t.notOk('disabledReason' in paused)
  const disabled = disableDeletedBinding(paused)
  t.match(disabled, { disabled: true, disabledReason: 'binding_deleted' })
  t.same(setDisabled(disabled, true), disabled, 'pausing again leaves it')
  const resumed = setDisabled(disabled, false)
  t.notOk('disabledReason' in resumed)
  t.notOk(resumed.disabled)
})

t.test('The default greeting contains the name of the agent unchanged, for any name', async () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, maxLength: 40, unit: fc.constantFrom(...'ab *_`[]()<>~\\#') }), (name) => {
      fc.pre(name.trim() === name && !/ {2}/.test(name))
      const message = defaultGreeting(name)
      const { blocks } = render(message, traitsOf('rcs'), { locale: 'en-US', zone: 'UTC' })
      return 'message' in validateMessage(message) && JSON.stringify(blocks).includes(JSON.stringify(name).slice(1, -1))
    }),
  )
})
