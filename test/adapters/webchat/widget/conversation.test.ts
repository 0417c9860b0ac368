/** The widget over time: reloads, lost lines, several tabs, blocked storage, and people who use no mouse. */
import t from 'tap'
import { openBrowser } from '../../../harness/browser.js'
import { waitUntil } from '../../../harness/clock.js'
import { greeting, receipt, rooms, times, words } from './blocks.js'
import { chat, FakeGateway } from './fakegateway.js'
import { faults, field, lines, openVisitor, phone, shot, waitForSent, waitForText, writes } from './visitor.js'

t.setTimeout(300_000)
// Each has a stage and a browser context of its own, and mostly waits.
t.jobs = 4

const browser = await openBrowser()
t.teardown(() => browser.close())
const hello = 'Welcome! How can we help?'

t.test('A reload in the middle of a conversation loses and duplicates nothing', async (t) => {
  const gateway = await FakeGateway.open(t)
  const { page, problems: troubles } = await openVisitor(t, browser, gateway)
  await page.goto(gateway.pageUrl)
  await waitForSent(page, gateway, 'One')
  gateway.sendMessage(words('Two'))
  await waitForText(page, hello, 'One', 'Two')
  await page.reload()
  await waitForText(page, hello, 'One', 'Two')
  await writes(page, 'Three')
  await waitForText(page, hello, 'One', 'Two', 'Three')
  t.same(gateway.requestedTokens, [undefined], 'the visitor is the same, without another token')
  t.same(troubles, [])
})

t.test('Messages written offline wait, and are sent once and in order after reconnecting', async (t) => {
  const gateway = await FakeGateway.open(t)
  const { page, shot } = await openVisitor(t, browser, gateway)
  await page.goto(gateway.pageUrl)
  await writes(page, 'Before')
  await waitForText(page, hello, 'Before')
  await page.context().setOffline(true)
  await page.getByText('No connection.').waitFor()
  t.same(await faults(page), [])
  await writes(page, 'First')
  await writes(page, 'Second')
  await page.getByText('Waiting for the connection').first().waitFor()
  await shot('offline')
  await page.context().setOffline(false)
  await waitUntil(() => gateway.framesOfType('text').length === 3)
  await page.getByText('Waiting for the connection').first().waitFor({ state: 'hidden' })
  await waitForText(page, hello, 'Before', 'First', 'Second')
  t.same(
    gateway.framesOfType('text').map(({ text }) => text),
    ['Before', 'First', 'Second'],
  )
})

t.test('Unsent messages of a closed page are sent by the next page', async (t) => {
  const gateway = await FakeGateway.open(t)
  const { page } = await openVisitor(t, browser, gateway)
  await page.goto(gateway.pageUrl)
  await writes(page, 'Known')
  await waitForText(page, hello, 'Known')
  gateway.isSilent = true
  await writes(page, 'Left behind')
  await waitUntil(() => gateway.framesOfType('text').length === 2)
  gateway.isSilent = false
  await page.reload()
  await waitUntil(() => gateway.framesOfType('text').length === 3)
  const [, sent, resent] = gateway.framesOfType('text')
  t.equal(sent?.id, resent?.id, 'under the same id, so that it counts once')
  await waitForText(page, hello, 'Known', 'Left behind')
})

t.test('A broken connection resumes behind the last line that was shown', async (t) => {
  const gateway = await FakeGateway.open(t)
  const { page } = await openVisitor(t, browser, gateway)
  await page.goto(gateway.pageUrl)
  gateway.sendMessage(words('One'))
  await waitForText(page, hello, 'One')
  gateway.drop()
  gateway.sendMessage(words('Two'))
  await waitForText(page, hello, 'One', 'Two')
})

t.test('All tabs show the same conversation, whichever tab a message was written in', async (t) => {
  const gateway = await FakeGateway.open(t)
  const { page } = await openVisitor(t, browser, gateway)
  await page.goto(gateway.pageUrl)
  await waitForText(page, hello)
  const other = await page.context().newPage()
  await other.goto(gateway.pageUrl)
  await waitForText(other, hello)
  await writes(page, 'From the first')
  await waitForText(other, hello, 'From the first')
  await waitForSent(other, gateway, 'From the second')
  gateway.sendMessage(greeting)
  for (const tab of [page, other]) await waitUntil(async () => (await lines(tab)).length === 4)
  await other.getByRole('button', { name: 'Book a room' }).click()
  await waitUntil(async () => (await lines(page)).length === 5)
  t.match((await lines(page)).slice(0, 3), [hello, 'From the first', 'From the second'])
  t.equal(await page.getByRole('button', { name: /^Book a room/ }).getAttribute('aria-disabled'), 'true')
  t.equal(gateway.requestedTokens.length, 1, 'one visitor in both')
})

t.test('Where storage is blocked, the chat works as long as the page is open', async (t) => {
  const gateway = await FakeGateway.open(t)
  const { page, problems: troubles } = await openVisitor(t, browser, gateway)
  await page.addInitScript(`Object.defineProperty(window, 'localStorage', {
    get() { throw new DOMException('blocked', 'SecurityError') },
  })`)
  await page.goto(gateway.pageUrl)
  await writes(page, 'One')
  await waitForText(page, hello, 'One')
  gateway.drop()
  gateway.sendMessage(words('Two'))
  await waitForText(page, hello, 'One', 'Two')
  t.equal(new Set(gateway.requestedTokens.filter(Boolean)).size <= 1, true)
  t.same(troubles, [])
})

t.test('A site with a strict policy needs to allow the gateway’s script and calls only', async (t) => {
  const gateway = await FakeGateway.open(t)
  gateway.hostPolicy = `default-src 'none'; img-src data:; script-src ${gateway.origin}; connect-src ${gateway.origin}; require-trusted-types-for 'script'`
  const { page, problems: troubles } = await openVisitor(t, browser, gateway)
  await page.goto(gateway.hostUrl)
  t.equal(gateway.requestedTokens.length, 0, 'no call is made before the chat is opened')
  await page.getByRole('button', { name: 'Open the chat' }).click()
  await waitForSent(page, gateway, 'Hello')
  gateway.sendMessage(greeting)
  await page.getByRole('button', { name: 'Book a room' }).click()
  await waitUntil(() => gateway.framesOfType('tap').length === 1)
  t.same(troubles, [])
})

t.test('A message is delivered when it arrives, and read when it is actually in view', async (t) => {
  const gateway = await FakeGateway.open(t)
  const { page } = await openVisitor(t, browser, gateway)
  await page.goto(gateway.hostUrl)
  await page.getByRole('button', { name: 'Open the chat' }).click()
  await writes(page, 'Hello')
  await waitForText(page, hello, 'Hello')
  await field(page).press('Escape')
  const first = gateway.sendMessage(words('Are you there?'))
  await page.getByRole('button', { name: 'Open the chat, 1 new message' }).waitFor()
  gateway.sendMessage(words('Hello?'))
  await page.getByRole('button', { name: 'Open the chat, 2 new messages' }).waitFor()
  await shot(page, 'unread')
  await waitUntil(() => gateway.framesOfType('delivered').flatMap(({ messageIds }) => messageIds).length === 2)
  t.same(gateway.framesOfType('read'), [], 'a closed panel shows nothing')
  await page.getByRole('button', { name: 'Open the chat' }).click()
  await waitUntil(() => gateway.framesOfType('read').flatMap(({ messageIds }) => messageIds).length === 2)
  t.ok(gateway.framesOfType('read')[0]?.messageIds.includes(first))
  await field(page).press('Escape')
  await page.getByRole('button', { name: 'Open the chat', exact: true }).waitFor()
})

t.test('A message in a hidden tab or out of view is not read', async (t) => {
  const gateway = await FakeGateway.open(t)
  const { page, shot } = await openVisitor(t, browser, gateway)
  await page.addInitScript(`Object.defineProperty(document, 'hidden', { get: () => window.isAway === true })`)
  const away = (isAway: boolean) =>
    page.evaluate(`window.isAway = ${isAway}; document.dispatchEvent(new Event('visibilitychange'))`)
  const read = () => gateway.framesOfType('read').flatMap(({ messageIds }) => messageIds)
  await page.goto(gateway.pageUrl)
  await waitForText(page, hello)
  await away(true)
  const first = gateway.sendMessage(words('One'))
  await waitUntil(() => gateway.framesOfType('delivered').length === 1)
  t.equal(await page.title(), '(1) Harbor Hotel')
  t.same(read(), [])
  await away(false)
  await waitUntil(() => read().includes(first))

  const tall = gateway.sendMessage(words(Array.from({ length: 60 }, (_, line) => `Line ${line}`).join('\n\n')))
  await waitUntil(() => read().includes(tall))
  await page.getByRole('log').hover()
  await page.mouse.wheel(0, -10_000)
  await waitUntil(async () => ((await page.getByText('Line 0', { exact: true }).boundingBox())?.y ?? -1) > 0)
  const last = gateway.sendMessage(words('Down here'))
  await page.getByRole('button', { name: 'New messages' }).waitFor()
  await waitUntil(() => gateway.framesOfType('delivered').some(({ messageIds }) => messageIds.includes(last)))
  await shot('newest')
  t.notOk(read().includes(last))
  await page.getByRole('button', { name: 'New messages' }).click()
  await waitUntil(() => read().includes(last))
  await page.getByRole('button', { name: 'New messages' }).waitFor({ state: 'hidden' })
})

t.test('A refused socket gives its reason: for an invalid token, the page requests another', async (t) => {
  const gateway = await FakeGateway.open(t)
  const { page } = await openVisitor(t, browser, gateway)
  gateway.closeCode = 4401
  await page.goto(gateway.pageUrl)
  await waitUntil(() => gateway.requestedTokens.length === 2)
  gateway.closeCode = undefined
  gateway.sendMessage(words('Here you are'))
  await waitForText(page, hello, 'Here you are')
  t.equal(gateway.requestedTokens[1], 'token-of-vis_1', 'as the visitor that one was')
  gateway.closeCode = 4404
  gateway.drop()
  await page.getByText('This chat is closed at the moment.').waitFor()
})

t.test('A frame that the gateway cannot accept yet is retried, and one that it never accepts has failed', async (t) => {
  const gateway = await FakeGateway.open(t)
  const { page, shot } = await openVisitor(t, browser, gateway)
  await page.goto(gateway.pageUrl)
  gateway.errorReply = { code: 'unavailable', message: 'Later', retryAfterMs: 50 }
  await writes(page, 'Patience')
  await waitUntil(() => gateway.framesOfType('text').length > 2)
  gateway.errorReply = undefined
  await page.getByText('Sent', { exact: false }).first().waitFor()
  t.equal(new Set(gateway.framesOfType('text').map(({ id }) => id)).size, 1)
  gateway.errorReply = { code: 'invalidFrame', message: 'No', field: 'text' }
  await writes(page, 'Never')
  await page.getByText('Not sent.').waitFor()
  await shot('failed')
  gateway.errorReply = undefined
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('Not sent.').waitFor({ state: 'hidden' })
  await waitForText(page, hello, 'Patience', 'Never')
})

t.test('A chat that is not allowed on a site or does not exist says so and stops connecting', async (t) => {
  for (const [status, sentence] of [
    [403, 'This chat may not be shown on this site.'],
    [404, 'This chat is closed at the moment.'],
  ] as const) {
    const gateway = await FakeGateway.open(t)
    gateway.refusal = status
    const { page } = await openVisitor(t, browser, gateway)
    await page.goto(gateway.pageUrl)
    await page.getByText(sentence).waitFor()
    t.equal(await field(page).isDisabled(), true)
    t.equal(gateway.requestedTokens.length, 1)
  }
})

t.test('Visitor and agent each see that the other is typing', async (t) => {
  const gateway = await FakeGateway.open(t)
  const { page } = await openVisitor(t, browser, gateway)
  await page.goto(gateway.pageUrl)
  await waitForText(page, hello)
  // All letters in one turn of the page: on a busy machine the keys of a keyboard can be seconds apart.
  await field(page).evaluate((box: { value: string; dispatchEvent(event: unknown): unknown }, text) => {
    for (const character of text) {
      box.value += character
      box.dispatchEvent(new Event('input', { bubbles: true }))
    }
  }, 'Hello there')
  await waitUntil(() => gateway.framesOfType('typing').length > 0)
  t.equal(gateway.framesOfType('typing').length, 1, 'once, however many letters')
  gateway.broadcast({ v: 1, type: 'typing', forMs: 20_000 })
  await page.getByText('Harbor Hotel is writing…').waitFor()
  gateway.sendMessage(words('Here I am'))
  await page.getByText('Harbor Hotel is writing…').waitFor({ state: 'hidden' })
  await writes(page, 'Good')
  await page.getByText('· Sent').waitFor()
  gateway.broadcast({ v: 1, type: 'seen', at: new Date(Date.now() + 1_000).toISOString() })
  await page.getByText('· Read').waitFor()
})

t.test('Every control can be reached and used by keyboard alone', async (t) => {
  const gateway = await FakeGateway.open(t)
  const { page } = await openVisitor(t, browser, gateway)
  const focused = () => page.evaluate('document.activeElement.shadowRoot?.activeElement?.innerText ?? ""')
  const isWriting = async () =>
    (await page.evaluate('document.activeElement.shadowRoot?.activeElement?.localName')) === 'textarea'
  const isFocused = (name: string) => waitUntil(async () => String(await focused()).startsWith(name))
  await page.goto(gateway.hostUrl)
  await page.getByRole('button', { name: 'Open the chat' }).focus()
  await page.keyboard.press('Enter')
  await waitUntil(isWriting)
  await page.keyboard.type('Hello')
  await page.keyboard.press('Shift+Enter')
  await page.keyboard.type('again')
  await page.keyboard.press('Enter')
  await waitUntil(() => gateway.framesOfType('text').length === 1)
  t.equal(gateway.framesOfType('text')[0]?.text, 'Hello\nagain')
  gateway.sendMessage(receipt)
  await page.getByRole('button', { name: 'Yes, book it' }).waitFor()
  t.equal(await isWriting(), true, 'a new message takes no focus')
  await page.keyboard.press('Shift+Tab')
  await isFocused('No')
  await page.keyboard.press('Shift+Tab')
  await isFocused('Yes')
  await page.keyboard.press('Space')
  await waitUntil(() => gateway.framesOfType('tap').length === 1)
  await isFocused('Yes')
  t.equal(gateway.framesOfType('tap')[0]?.tap, 'p1.m.0')
  await page.keyboard.press('Escape')
  await waitUntil(isWriting)
  await page.getByRole('log').focus()
  await page.keyboard.press('ArrowUp')
  await isFocused('You')
  await page.keyboard.press('Home')
  await isFocused('Harbor Hotel:')
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Open the chat' }).waitFor()
  t.equal(
    await page.evaluate('document.activeElement.shadowRoot.activeElement.className'),
    'launcher',
    'closing the panel returns the focus to the launcher',
  )
})

t.test('On a phone the panel covers the page, and Tab stays inside it', async (t) => {
  const gateway = await FakeGateway.open(t)
  const { page } = await openVisitor(t, browser, gateway)
  await page.setViewportSize(phone)
  await page.goto(gateway.hostUrl)
  await page.getByRole('button', { name: 'Open the chat' }).click()
  await field(page).waitFor()
  t.equal(await page.getByRole('dialog').getAttribute('aria-modal'), 'true')
  for (let presses = 0; presses < 8; presses++) {
    await page.keyboard.press('Tab')
    t.equal(await page.evaluate('document.activeElement.localName'), 'parley-chat')
  }
})

t.test('In right-to-left languages the layout is mirrored', async (t) => {
  const gateway = await FakeGateway.open(t)
  gateway.hostMarkup = '<html lang="he" dir="rtl">'
  gateway.inputs = { ...gateway.inputs, title: 'מלון הנמל', greeting: 'ברוכים הבאים! איך אפשר לעזור?' }
  const { page, shot, problems: troubles } = await openVisitor(t, browser, gateway)
  await page.goto(gateway.hostUrl)
  await page.getByRole('button', { name: 'Open the chat' }).click()
  await waitForSent(page, gateway, 'שלום, אני רוצה חדר עם נוף לים')
  gateway.sendMessage(words('בשמחה! אלה החדרים הפנויים:\n\n- חדר *נמל*\n- Tower suite'), rooms(gateway.origin))
  await page.getByRole('button', { name: 'Select' }).first().waitFor()
  const leftEdge = async (selector: string) => (await page.locator(selector).first().boundingBox())?.x ?? 0
  t.ok(
    (await leftEdge('.line.agent .bubble')) > (await leftEdge('.line.own .bubble')),
    'messages of the agent are on the right',
  )
  t.ok((await leftEdge('.launcher')) < 100)
  const before = await leftEdge('.carousel li')
  await page.getByRole('button', { name: 'Next' }).click()
  await waitUntil(async () => (await leftEdge('.carousel li')) > before)
  await shot('rtl')
  t.same(await faults(page), [])
  t.same(troubles, [])
})

t.test('Times are shown in the visitor’s time zone, and the zone is named', async (t) => {
  const gateway = await FakeGateway.open(t)
  gateway.sendMessage(times)
  const { page } = await openVisitor(t, browser, gateway)
  const session = await page.context().newCDPSession(page)
  await session.send('Emulation.setTimezoneOverride', { timezoneId: 'America/New_York' })
  await page.goto(gateway.pageUrl)
  await page.getByText('Times are shown in your time zone, America/New York.').waitFor()
  const group = page.getByRole('group', { name: 'Sunday, October 25' })
  t.match(await group.innerText(), /5:00\sAM/)
})

t.test('The standalone page has a strict policy, and its title is the name of the chat', async (t) => {
  const gateway = await FakeGateway.open(t)
  const { page } = await openVisitor(t, browser, gateway)
  const answer = await page.goto(gateway.pageUrl)
  const policy = answer?.headers()['content-security-policy'] ?? ''
  t.match(policy, "default-src 'none'; script-src 'self'")
  t.notMatch(policy, /unsafe|nonce|sha256/)
  await waitForText(page, hello)
  t.equal(await page.title(), 'Harbor Hotel')
  t.match(answer?.url(), chat)
})
