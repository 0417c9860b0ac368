/** A tour of the emulator page in a real browser: the sample agents, phones of every kind, and a place to write AML. */
import { mkdir } from 'node:fs/promises'
import axe from 'axe-core'
import type { Locator, Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { writePage } from '../../adapters/emulator/bundle.js'
import { emulatorPage } from '../../core/limits/index.js'
import { openBrowser, type PageVisit } from '../harness/browser.js'
import { waitUntil } from '../harness/clock.js'
import { noisePng } from '../harness/picture.js'
import { startNode, testKey } from '../harness/process.js'
import { turnRecord } from '../harness/turnrecord.js'

t.setTimeout(300_000)

await writePage()
// Nothing but the webhook of the sample agent may be called on this machine, and it is.
const node = await startNode({ PARLEY_EMULATOR: 'true', PARLEY_ALLOW_PRIVATE_URLS: 'false' })
t.teardown(() => node.clean())
const browser = await openBrowser()
t.teardown(() => browser.close())
await waitUntil(() => node.stderr().includes('Try it:'))
const [link = ''] = /http\S+\/emulator#\S+/.exec(node.stderr()) ?? []

/** The chat of the page is the gateway's, which is another origin. */
async function openPage(t: Test, url: string, colorScheme: 'light' | 'dark' = 'light'): Promise<PageVisit> {
  const visit = await browser.visit({ origin: node.mgmt, colorScheme })
  t.teardown(() => visit.close())
  const { page } = visit
  await page.route(`${node.gateway}/**`, (route) => route.continue())
  page.setDefaultTimeout(60_000)
  await page.setViewportSize({ width: 1280, height: 1000 })
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await page.goto(url)
  return visit
}

/** Colours alone are looked at where nothing else is other than it was. */
async function faults(page: Page, rules?: readonly string[]): Promise<string[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source)
  const options = { iframes: false, resultTypes: ['violations'], ...(rules && { runOnly: rules }) }
  const { violations } = (await page.evaluate(`axe.run(document, ${JSON.stringify(options)})`)) as axe.AxeResults
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.target.flat().join(' ')} ${nodes[0]?.failureSummary}`)
}

async function shot(page: Page, name: string): Promise<void> {
  await mkdir('test/output', { recursive: true })
  await page.screenshot({ path: `test/output/emulator-${name}.png` })
}

const phone = (page: Page, title: string) => page.getByRole('region', { name: title, exact: true })
async function writes(page: Page, title: string, text: string): Promise<void> {
  const field = page.getByRole('textbox', { name: `Write on ${title}` })
  await field.fill(text)
  await field.press('Enter')
}
const shows = (at: Locator, text: string | RegExp) => at.getByText(text).last().waitFor()
const tap = (at: Locator, name: string) => at.getByRole('button', { name, exact: true }).last().click()

const tab = (page: Page, name: RegExp) => page.getByRole('tab', { name })
const webhookTab = /^Webhook agent/
const managedTab = /^Managed agent/

const { page, problems: troubles } = await openPage(t, link)
const rcs = phone(page, 'RCS')
const sms = phone(page, 'SMS')
const messenger = phone(page, 'Messenger A')
const vendor = phone(page, 'Vendor Messages')

t.test('A start prints a link to the page, and the ticket is removed from the address', async (t) => {
  await tab(page, managedTab).waitFor()
  t.equal(page.url(), `${node.mgmt}/emulator`)
  t.equal(await page.getByRole('region').count(), 6, 'five phones and the place to write')
})

t.test('The managed agent is shown first, and the keys of tabs switch to the other', async (t) => {
  const panel = page.getByRole('tabpanel')
  t.match(await panel.textContent(), /You talk to Sample Harbor Clinic\. Parley plays it/)
  t.same(await faults(page), [])
  await page.getByRole('textbox', { name: 'Write on RCS' }).fill('A draft')
  await tab(page, managedTab).press('ArrowRight')
  await page.getByRole('tabpanel', { name: webhookTab }).waitFor()
  t.match(await page.getByRole('tabpanel', { name: webhookTab }).textContent(), /You talk to Sample Harbor Hotel/)
  t.equal(await page.evaluate('document.activeElement.getAttribute("aria-selected")'), 'true')
  t.equal(await page.getByRole('textbox', { name: 'Write on RCS' }).inputValue(), '', 'with phones of its own')
  t.equal(await page.getByRole('region').count(), 6)
  await tab(page, webhookTab).press('ArrowRight')
  await page.getByRole('tabpanel', { name: managedTab }).waitFor()
  t.equal(await page.getByRole('textbox', { name: 'Write on RCS' }).inputValue(), 'A draft', 'which stay')
  await tab(page, managedTab).press('End')
  await page.getByRole('tabpanel', { name: webhookTab }).waitFor()
})

t.test(
  'A person who picks a suggestion on sms is answered, and the bubble shows its receipt and its segments',
  async (t) => {
    await tap(sms, 'Hello')
    await shows(sms, /Welcome to the Harbor Hotel!\s+What would you like to see\?\s+1\. See the rooms/)
    await shows(sms, 'Delivered')
    await shows(sms, /^2 segments, GSM-7$/)
    await writes(page, 'SMS', '2')
    await shows(sms, /1\. Tomorrow at ten/)
    t.equal(await sms.locator('.own').count(), 2)
  },
)

t.test('A tapped rcs chip returns as its answer, and chips disappear as on phones', async (t) => {
  await writes(page, 'RCS', 'Hi')
  await tap(rcs, 'See the rooms')
  await shows(rcs, 'Quiet, above the garden')
  await shows(rcs, 'Read')
  t.equal(
    await rcs.getByRole('button', { name: 'Pick a time', exact: true }).count(),
    0,
    'the earlier chips have disappeared',
  )
  await rcs.locator('.card', { hasText: 'Green room' }).getByRole('button').first().click()
  await shows(rcs, /Shall we book this\?/)
  await shows(rcs, /Green room/)
  await tap(rcs, 'Yes')
  await shows(rcs, /Booked/)
})

t.test('A row is selected from the list of a messenger, and a time from a picker', async (t) => {
  await writes(page, 'Messenger A', 'Hi')
  await messenger.getByText('Select', { exact: true }).click()
  await tap(messenger, 'How to find us')
  await shows(messenger, 'Send location')
  await tap(messenger, 'Send location')
  await shows(messenger, /Thank you/)
  await writes(page, 'Vendor Messages', 'Hi')
  await vendor.getByText('Select', { exact: true }).click()
  await tap(vendor, 'Pick a time')
  await vendor.getByText('Choose a time', { exact: true }).click()
  await vendor.locator('details[open] .tap').nth(1).click()
  t.equal(await vendor.locator('details[open]').count(), 0, 'a picker closes once something was picked')
  await shows(vendor, /A visit, Tomorrow at two/)
  t.ok(await vendor.getByText('Sent', { exact: true }).count(), 'a provider without receipts says no more than that')
})

t.test('Each bubble shows the provider’s payload, the message and the records', async (t) => {
  await sms.getByRole('button', { name: /^Raw: Welcome/ }).click()
  const dialog = page.getByRole('dialog', { name: 'Behind the bubble' })
  await shows(dialog, 'Wire body')
  await waitUntil(async () => (await dialog.locator('pre').count()) === 4)
  const [payload = '', amf = '', events = '', record = ''] = await dialog.locator('pre').allTextContents()
  t.match(JSON.parse(payload), [{ To: '+15550100', Body: /^Welcome to the Harbor Hotel!/ }])
  t.match(JSON.parse(amf), { spec: 'amf/1', parts: [{ type: 'text' }, { type: 'ask.choice', intentId: 'menu' }] })
  t.same(
    JSON.parse(events).map(
      (each: { event: { event: { status: { state: string } } } }) => each.event.event.status.state,
    ),
    ['sent', 'delivered'],
  )
  t.match(JSON.parse(record), {
    attempt: { channel: 'sms', provider: 'twilio' },
    states: { delivered: /^\d{4}-\d\d-\d\dT[\d:.]+Z$/ },
  })
  t.same(await faults(page), [])
  await shot(page, 'raw')
  const exact = dialog.locator('time').last()
  t.equal(new Date(Number(await exact.getAttribute('title'))).toISOString(), await exact.getAttribute('datetime'))
  const folds = dialog.locator('details', { has: page.getByText('"capabilities":') })
  t.ok((await folds.count()) > 0)
  t.equal(await folds.first().getAttribute('open'), null, 'capabilities are folded')
  await folds.first().locator('summary').click()
  t.not(await folds.first().getAttribute('open'), null, 'and they open on request')
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await dialog.getByRole('button', { name: 'Copy: On record' }).click()
  await shows(dialog, 'Copied')
  t.match(JSON.parse(await page.evaluate('navigator.clipboard.readText()')), { states: { delivered: Number } })
  await page.setViewportSize({ width: 390, height: 844 })
  await shot(page, 'raw-narrow')
  t.equal(await page.evaluate('document.documentElement.scrollWidth'), 390)
  await page.setViewportSize({ width: 1280, height: 1000 })
  await page.keyboard.press('Escape')
  await sms.getByRole('button', { name: 'Raw: 2', exact: true }).click()
  await waitUntil(async () => (await dialog.locator('pre').count()) === 2)
  const [, webhook = ''] = await dialog.locator('pre').allTextContents()
  const result = { intent: 'ask.choice', intentId: 'menu', optionIds: ['time'], via: 'text', text: '2' }
  t.match(JSON.parse(webhook), [{ event: { event: { type: 'result', result } } }])
  await page.keyboard.press('Escape')
  await waitUntil(async () => !(await dialog.isVisible()))
})

t.test('A message goes to sms when its phone has no rcs, and to rcs again afterwards', async (t) => {
  await writes(page, 'RCS', 'Menu')
  await shows(rcs, 'RCS, else text')
  await tap(rcs, 'No RCS')
  await shows(rcs, /RCS does not reach this phone/)
  await writes(page, 'RCS', 'RCS, else text')
  await shows(sms, /This goes out on RCS/)
  await writes(page, 'RCS', 'Hello?')
  await shows(rcs, 'A message did not get here.')
  await tap(rcs, 'No RCS')
  await shows(rcs, 'RCS reaches this phone again.')
  t.equal(await rcs.getByText('This goes out on RCS').count(), 0)
})

async function act(channel: string, body: object): Promise<number> {
  const headers = { 'x-emulator-ticket': link.split('#')[1]!, 'content-type': 'application/json' }
  const how = { method: 'POST', headers, body: JSON.stringify(body) }
  return (await fetch(`${node.mgmt}/v1/system/emulator/stage/sample/phones/${channel}/_act`, how)).status
}

t.test('A phone that is offline sends nothing, and gets its messages when it is back', async (t) => {
  await tap(messenger, 'Offline')
  await shows(messenger, 'The phone went offline.')
  const aml = page.getByRole('region', { name: 'Write AML' })
  await aml.getByRole('radio', { name: 'Messenger A' }).check()
  await aml.getByRole('button', { name: 'Send to Messenger A' }).click()
  await shows(messenger, 'Sent, phone offline')
  t.ok(await messenger.getByRole('textbox').isDisabled(), 'it has no message')
  t.equal(await act('messengerA', { kind: 'text', text: 'Hi' }), 422, 'and the node refuses it')
  await shot(page, 'offline')
  await tap(messenger, 'Offline')
  await waitUntil(async () => (await messenger.getByText('Sent, phone offline').count()) === 0)
  await waitUntil(async () => (await messenger.locator('.receipt').last().textContent()) === 'Read')
  t.equal(await messenger.getByRole('button', { name: 'Offline', exact: true }).getAttribute('aria-pressed'), 'false')
  await aml.getByRole('radio', { name: 'SMS' }).check()
})

t.test('AML is compiled while it is typed: problems by line, and the preview of each channel', async (t) => {
  const field = page.getByRole('textbox', { name: 'AML' })
  await page.getByText('No problems.').waitFor()
  const aml = page.getByRole('region', { name: 'Write AML' })
  await shows(aml, /Reply with a number to choose\./)
  await shows(aml, /^2 segments, GSM-7, \d+ units$/)
  await shows(aml, 'Nothing is lost.')
  await aml.getByRole('radio', { name: 'RCS' }).check()
  await aml.getByRole('button', { name: 'Coffee', exact: true }).waitFor()
  for (const title of ['Messenger A', 'Web chat']) {
    await aml.getByRole('radio', { name: title }).check()
    await aml.locator('.preview strong', { hasText: /^Harbor$/ }).waitFor()
    t.notMatch(await aml.locator('.preview').textContent(), /\*/, `${title} draws bold and shows no markup`)
  }
  await field.fill('~~Closed~~ *a* snake_case 2*3*4')
  await aml.locator('.preview del').waitFor()
  t.equal(await aml.locator('.preview').textContent(), 'Closed a snake_case 2*3*4')
  await field.fill('Rooms:\n- **Blue** room\n  3. Upper bed\n- Green room\n\nBye.')
  await aml.locator('.preview ul > li', { hasText: /^Green room$/ }).waitFor()
  await aml.locator('.preview ul > li > ol > li[value="3"]', { hasText: /^Upper bed$/ }).waitFor()
  t.equal(
    await aml.locator('.preview').textContent(),
    'Rooms:Blue roomUpper bedGreen roomBye.',
    'a list, as in the chat',
  )
  await aml.getByText('AML in short').click()
  for (const use of await aml.getByRole('button', { name: /^Use the example/ }).all()) {
    await use.click()
    await page.getByText('No problems.').waitFor()
  }
  t.same(await faults(page), [])
  await shot(page, 'help')
  await aml.getByText('AML in short').click()
  await field.fill('[[ask.choice #room | Which room?\nblue = Blue\nblue = Blue again\n]]\n[[nonsense]]')
  await shows(aml, /Problem, line 3, column \d+:/)
  await shows(aml, /Problem, line 5, column \d+:/)
  await shows(aml, 'Nothing, as long as there are problems.')
  await aml.scrollIntoViewIfNeeded()
  await shot(page, 'problems')
  t.same(await faults(page), [])
  await field.fill('[[ask.choice #room | Which room?\nblue = Blue room\ngreen = Green room\n]]')
  await page.getByText('No problems.').waitFor()
})

t.test('Web chat is shown beside the phones, as visitors see it', async (t) => {
  const chat = page.frameLocator('iframe:visible')
  const field = chat.getByRole('textbox', { name: 'Write a message' })
  await field.fill('Hello')
  await field.press('Enter')
  await chat.getByText('What would you like to see?').first().waitFor()
  t.same(troubles, [])

  await t.test('The details of web chat bubbles are shown below the chat', async (t) => {
    const behind = page.getByRole('list', { name: 'Behind the web chat' })
    await behind.getByRole('button', { name: /^Raw: Welcome/ }).click()
    const dialog = page.getByRole('dialog', { name: 'Behind the bubble' })
    await waitUntil(async () => (await dialog.locator('pre').count()) === 4)
    const [payload = '', amf = '', events = ''] = await dialog.locator('pre').allTextContents()
    t.match(JSON.parse(payload), [{ type: 'message', blocks: [{ kind: 'text', text: /^Welcome/ }, { kind: 'list' }] }])
    t.match(JSON.parse(amf), { spec: 'amf/1', parts: [{ type: 'text' }, { type: 'ask.choice' }] })
    t.match(JSON.parse(events)[0], { event: { event: { type: 'status', status: { state: 'sent' } } } })
    await page.keyboard.press('Escape')
    await behind.getByRole('button', { name: 'Raw: Hello', exact: true }).click()
    await waitUntil(async () => (await dialog.locator('pre').count()) === 3)
    const [inbound = '', webhook = '', record = ''] = await dialog.locator('pre').allTextContents()
    t.match(JSON.parse(inbound), [{ type: 'said', text: 'Hello' }])
    t.match(JSON.parse(webhook).at(-1), { event: { event: { type: 'message', message: { text: 'Hello' } } } })
    t.match(JSON.parse(record), { records: [{ origin: 'user' }] })
    await page.keyboard.press('Escape')
  })

  await t.test('AML is sent to web chat and to phones like a message of the agent', async () => {
    const aml = page.getByRole('region', { name: 'Write AML' })
    await page.getByRole('textbox', { name: 'AML' }).fill('The **harbor** is open. [[chips: Thank you]]')
    await aml.getByRole('radio', { name: 'Web chat' }).check()
    await page.getByText('No problems.').waitFor()
    await aml.getByRole('button', { name: 'Send to Web chat' }).click()
    await shows(aml, 'Sent to Web chat.')
    await chat.getByRole('button', { name: 'Thank you' }).waitFor()
    await aml.getByRole('radio', { name: 'SMS' }).check()
    await aml.getByRole('button', { name: 'Send to SMS' }).click()
    await shows(sms, /The harbor is open/)
  })
})

t.test('AML is not sent to a phone without a conversation, nor with problems', async (t) => {
  const ticket = link.split('#')[1]!
  const sendAs = async (body: object) => {
    const headers = { 'x-emulator-ticket': ticket, 'content-type': 'application/json' }
    const how = { method: 'POST', headers, body: JSON.stringify(body) }
    return (await fetch(`${node.mgmt}/v1/system/emulator/stage/sample/_say`, how)).json()
  }
  t.same(await sendAs({ channel: 'workchatD', aml: 'Hi' }), { accepted: false, reason: 'unknownRecipient' })
  t.same(await sendAs({ channel: 'sms', aml: '[[nonsense]]' }), { accepted: false, reason: 'invalidMessage' })
})

t.test('An unknown message id is not found', async (t) => {
  const headers = { 'x-emulator-ticket': link.split('#')[1]! }
  for (const name of ['%25', '%2525', '%25zz', 'nobody']) {
    const reply = await fetch(`${node.mgmt}/v1/system/emulator/stage/sample/phones/rcs/messages/${name}`, { headers })
    t.equal(reply.status, 404, name)
  }
})

t.test('The page has no accessibility faults, wide and narrow, light and dark', async (t) => {
  await writes(page, 'RCS', 'See the rooms')
  await shows(rcs, 'Faces the harbor, two beds')
  await messenger.getByText('Select', { exact: true }).last().click()
  await waitUntil(async () => (await rcs.locator('.receipt').last().textContent()) === 'Read')
  await page.evaluate(`for (const log of document.querySelectorAll('.log')) log.scrollTo(0, log.scrollHeight)`)
  await page.getByRole('heading', { name: 'Parley emulator' }).click()
  await page.evaluate('scrollTo(0, 0)')
  t.same(await faults(page), [])
  await shot(page, 'light')
  await page.setViewportSize({ width: 1280, height: 760 })
  await page.screenshot({ path: 'test/output/emulator.png' })
  await page.setViewportSize({ width: 390, height: 844 })
  t.same(await faults(page), [])
  await shot(page, 'phone')
  const width = (await page.evaluate('document.documentElement.scrollWidth')) as number
  t.ok(width <= 390, `no element is wider than the screen: ${width}`)
  await page.setViewportSize({ width: 1280, height: 1000 })
  await page.emulateMedia({ colorScheme: 'dark' })
  t.same(await faults(page, ['color-contrast']), [])
  await shot(page, 'dark')
})

/** Chooses a file as people do: by the button, which opens the browser's own window for it. */
async function chooses(title: string, name: string, buffer: Buffer, mimeType = 'image/png'): Promise<void> {
  const opens = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: `Choose a picture on ${title}` }).press('Enter')
  await (await opens).setFiles({ name, mimeType, buffer })
}
const chosenOn = (title: string) => page.getByRole('group', { name: `Picture to send on ${title}` })

/** What the agent was told of the newest thing that was done there. */
async function fileOf(at: Locator, name: string): Promise<{ url: string; type: string }> {
  await at.getByRole('button', { name: `Raw: 🖼 ${name}` }).click()
  const dialog = page.getByRole('dialog', { name: 'Behind the bubble' })
  await waitUntil(async () => (await dialog.locator('pre').count()) === 2)
  const [, events = ''] = await dialog.locator('pre').allTextContents()
  await page.keyboard.press('Escape')
  await waitUntil(async () => !(await dialog.isVisible()))
  return JSON.parse(events)[0].event.event.message.media[0]
}

t.test('A picture is previewed before it is sent, and opens at the URL that the agent gets', async (t) => {
  const small = noisePng(40, 30)
  for (const [title, at] of [
    ['Messenger A', messenger],
    ['SMS', sms],
  ] as const) {
    await chooses(title, 'harbor.png', small)
    await chosenOn(title).getByRole('img', { name: 'harbor.png' }).waitFor()
    t.same(await faults(page), [])
    await page.getByRole('textbox', { name: `Write on ${title}` }).press('Enter')
    await shows(at, /Thank you for the picture/)
    const bubble = at.locator('.own').getByRole('img', { name: 'harbor.png' })
    t.equal(await bubble.getAttribute('src'), `data:image/png;base64,${small.toString('base64')}`)
    t.equal(await chosenOn(title).count(), 0, 'it is chosen no more')
    const { url, type } = await fileOf(at, 'harbor.png')
    t.equal(type, 'image/png')
    t.ok(url.startsWith(`${node.gateway}/v4/media/received/`), 'it has an address of ours')
    const opened = await fetch(url)
    t.same([opened.status, opened.headers.get('content-type')], [200, 'image/png'])
    t.ok(Buffer.from(await opened.arrayBuffer()).equals(small))
  }
  t.same(troubles, [])

  await t.test('A picture that is too large is reduced to fit', async (t) => {
    const large = noisePng(900, 600)
    t.ok(large.length > emulatorPage.pictureChars)
    await chooses('Messenger A', 'room.png', large)
    await shows(chosenOn('Messenger A'), 'Made smaller to fit.')
    await shot(page, 'picture')
    await page.getByRole('button', { name: 'Send on Messenger A' }).click()
    const bubble = messenger.locator('.own').getByRole('img', { name: 'room.jpg' })
    await bubble.waitFor()
    const { url, type } = await fileOf(messenger, 'room.jpg')
    const opened = Buffer.from(await (await fetch(url)).arrayBuffer())
    t.equal(type, 'image/jpeg')
    t.equal(await bubble.getAttribute('src'), `data:image/jpeg;base64,${opened.toString('base64')}`)
    t.ok(opened.toString('base64').length <= emulatorPage.pictureChars)
    t.same(await faults(page), [])
  })

  await t.test('A picture is removed again, and a file that is no picture is refused', async (t) => {
    await chooses('RCS', 'harbor.png', small)
    await tap(chosenOn('RCS'), 'Leave out harbor.png')
    t.equal(await chosenOn('RCS').count(), 0)
    await chooses('RCS', 'notes.txt', Buffer.from('no picture'), 'text/plain')
    await shows(rcs, 'Choose a picture: PNG, JPEG, GIF or WebP.')
    await chooses('RCS', 'broken.png', Buffer.from('no picture'))
    await shows(rcs, 'broken.png cannot be read as a picture.')
    t.same(await faults(page), [])
    await chooses('RCS', 'harbor.png', small)
    await writes(page, 'RCS', 'This is where I am')
    await shows(rcs, /Thank you for the picture/)
    await shows(rcs, /You said .This is where I am/)
  })

  await t.test('Every phone sends a picture of the maximum size', async () => {
    const noise = noisePng(900, 600)
    for (const [title, at] of [
      ['RCS', rcs],
      ['Vendor Messages', vendor],
    ] as const) {
      const thanks = () => at.getByText(/Thank you for the picture/).count()
      const before = await thanks()
      await chooses(title, 'room.png', noise)
      await chosenOn(title).waitFor()
      await page.getByRole('button', { name: `Send on ${title}` }).click()
      await waitUntil(async () => (await thanks()) > before)
    }
  })
})

t.test('A notice about a picture disappears with the next message', async (t) => {
  await chooses('RCS', 'notes.txt', Buffer.from('no picture'), 'text/plain')
  await shows(rcs, 'Choose a picture: PNG, JPEG, GIF or WebP.')
  await writes(page, 'RCS', 'Never mind')
  await shows(rcs, /You said .Never mind/)
  t.equal(await rcs.getByText('Choose a picture: PNG').count(), 0)
})

t.test('While the node is unavailable no text is lost, and no preview shows another text', async (t) => {
  const aml = page.getByRole('region', { name: 'Write AML' })
  await aml.getByRole('radio', { name: 'SMS' }).check()
  await page.route(`${node.mgmt}/**`, (route) => route.abort())
  await shows(page.locator('main'), /The node does not answer\. The page goes on once it does/)
  await writes(page, 'SMS', 'Kept while away')
  await page.getByRole('textbox', { name: 'AML' }).fill('Written while away')
  await shows(aml, 'Not checked: the node does not answer.')
  await shows(aml, 'Nothing, until the node answers.')
  t.equal(await aml.locator('.preview').count(), 0)
  t.equal(await aml.getByText('No problems.').count(), 0)
  t.equal(await aml.getByRole('button', { name: 'Send to SMS' }).getAttribute('aria-disabled'), 'true')
  t.equal(await page.getByText('Failed to fetch').count(), 0)
  t.equal(await page.getByRole('textbox', { name: 'Write on SMS' }).inputValue(), 'Kept while away')
  await shot(page, 'away')
  await page.unroute(`${node.mgmt}/**`)
  await aml.locator('.preview', { hasText: 'Written while away' }).waitFor()
  await waitUntil(async () => (await page.locator('main .notices .notice').count()) === 0)
  await page.getByRole('textbox', { name: 'Write on SMS' }).press('Enter')
  await shows(sms, /You said .Kept while away/)
})

t.test('On a narrow page the phone’s title is below the bar, and a log with pictures scrolls to its end', async (t) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await page.reload()
  await messenger.locator('img').last().waitFor()
  for (const title of ['SMS', 'Messenger A', 'Web chat', 'AML']) {
    await page.getByRole('navigation', { name: 'Phones' }).getByRole('link', { name: title, exact: true }).click()
    const heading = page.getByRole('heading', { name: title === 'AML' ? 'Write AML' : title, exact: true })
    const bar = page.getByRole('navigation', { name: 'Phones' })
    await waitUntil(async () => (await heading.boundingBox())!.y >= (await bar.boundingBox())!.y)
    const [{ y }, { y: top, height }] = [(await heading.boundingBox())!, (await bar.boundingBox())!]
    t.ok(y >= top + height, `${title}: ${y} is below ${top + height}`)
  }
  const ends = `[...document.querySelectorAll('.log')].map((log) => log.scrollHeight - log.clientHeight - log.scrollTop)`
  await waitUntil(async () => ((await page.evaluate(ends)) as number[]).every((remaining) => remaining < 2))
  await shot(page, 'narrow')
  await page.setViewportSize({ width: 1280, height: 1000 })
})

t.test('STOP opts out on sms until START, and a reloaded page shows the whole conversation', async (t) => {
  await tap(sms, 'STOP')
  await sms.getByText('STOP', { exact: true }).last().waitFor()
  const inbound = await sms.locator('article').count()
  await writes(page, 'SMS', 'Anybody?')
  await waitUntil(async () => (await sms.locator('article').count()) > inbound)
  await shows(sms, 'Opted out. Write START to opt in again.')
  await shows(sms, 'A message of the agent was refused: this phone has opted out.')
  await shot(page, 'optedout')
  t.same(await faults(page), [])
  await sms.getByRole('button', { name: 'Raw: Anybody?', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Behind the bubble' })
  await shows(dialog, 'Refused answer')
  const { refusals, answers } = JSON.parse((await dialog.locator('pre').last().textContent()) ?? '')
  t.match(refusals, [{ reason: 'optedOut' }])
  t.match(answers, [/You said .Anybody/])
  await page.keyboard.press('Escape')
  await waitUntil(async () => !(await dialog.isVisible()))
  await writes(page, 'SMS', 'START')
  await waitUntil(async () => (await sms.locator('.standing').textContent()) === '')
  await writes(page, 'SMS', 'Menu')
  await shows(sms, /Welcome to the Harbor Hotel!/)
  t.notMatch(await sms.locator('article').allTextContents(), [/You said .Anybody/])
  await page.reload()
  await shows(sms, 'Anybody?')
  await shows(rcs, 'RCS reaches this phone again.')
})

t.test('AML goes to the visitor whose chat is shown, and to no other', async (t) => {
  const visit = await openPage(t, link)
  await tab(visit.page, webhookTab).click()
  const chat = visit.page.frameLocator('iframe:visible')
  const aml = visit.page.getByRole('region', { name: 'Write AML' })
  await chat.getByRole('textbox', { name: 'Write a message' }).waitFor()
  await aml.getByRole('radio', { name: 'Web chat' }).check()
  await visit.page.getByRole('textbox', { name: 'AML' }).fill('For the second visitor')
  await visit.page.getByText('No problems.').waitFor()
  const send = aml.getByRole('button', { name: 'Send to Web chat' })
  await send.click()
  await shows(aml, /Nobody has written there yet/)
  t.equal(
    await visit.page.getByRole('list', { name: 'Behind the web chat' }).count(),
    0,
    'nor lines of another visitor',
  )
  await chat.getByRole('textbox', { name: 'Write a message' }).fill('Hello')
  await chat.getByRole('textbox', { name: 'Write a message' }).press('Enter')
  await chat.getByText('What would you like to see?').first().waitFor()
  await send.click()
  await shows(aml, 'Sent to Web chat.')
  await chat.getByText('For the second visitor').first().waitFor()
  t.equal(await page.frameLocator('iframe:visible').getByText('For the second visitor').count(), 0)
  await visit.close()
})

t.test('The turn of a managed agent is shown beside its bubble, in plain words', async (t) => {
  const visit = await openPage(t, link)
  const { page: managed } = visit
  const [text, aml] = [phone(managed, 'SMS'), managed.getByRole('region', { name: 'Write AML' })]
  const dialog = managed.getByRole('dialog', { name: 'What the agent did' })
  const suggestions = text.locator('.suggestions button')
  await suggestions.first().waitFor()
  t.same(await suggestions.allTextContents(), ['Book a visit', 'Do you have parking?', 'Can I talk to a person?'])
  await shot(managed, 'managed')
  await tap(text, 'Do you have parking?')
  await text.locator('.own').getByText('Do you have parking?').waitFor()
  await managed.getByRole('textbox', { name: 'AML' }).fill('You are booked: Sports massage, Mon 2 Mar, 10:00.')
  await managed.getByText('No problems.').waitFor()
  await tap(aml, 'Send to SMS')
  await shows(text, /You are booked/)
  const button = text.getByRole('button', { name: /^Turn: You are booked/ })

  await t.test('What a person wrote has the turn that it began among its details', async (t) => {
    await shows(text, /six free spaces/)
    await text.getByRole('button', { name: 'Raw: Do you have parking?', exact: true }).click()
    const behind = managed.getByRole('dialog', { name: 'Behind the bubble' })
    const turn = behind.locator('section').filter({ has: managed.getByRole('heading', { name: 'Turn' }) })
    t.match(JSON.parse((await turn.locator('pre').textContent()) ?? ''), {
      state: 'completed',
      trigger: { text: 'Do you have parking?' },
    })
    await managed.keyboard.press('Escape')
    await waitUntil(async () => !(await behind.isVisible()))
  })

  await t.test('A message without a turn says so', async (t) => {
    await button.click()
    await shows(dialog, /No turn is on record for this message/)
    t.same(await faults(managed), [])
    await managed.keyboard.press('Escape')
    await waitUntil(async () => !(await dialog.isVisible()))
  })

  /** The node's answers, with a turn that is still under way the first time. */
  let fetched = 0
  await managed.route('**/v1/system/emulator/stage/sample-clinic/**/messages/*', async (route) => {
    const response = await route.fetch()
    const details = await response.json()
    const state = fetched++ === 0 ? 'open' : 'completed'
    const turn = turnRecord({ state, messages: ['msg_first', details.messageId] })
    await route.fulfill({ response, json: { ...details, turn } })
  })

  await t.test('The panel opens and closes by keyboard, and follows a turn to its end', async (t) => {
    await button.focus()
    await managed.keyboard.press('Enter')
    await shows(dialog, 'The person answered “Yes”.')
    await waitUntil(async () => (await dialog.getByText('Still under way.').count()) === 0)
    const expected = [
      ['Playbook', 'Stayed in book', 'The conversation goes on where it was.', 'Outcome: booked', /reached/],
      ['Steps', 'Act book 4', 'Branch book 5', 'Act book contact', 'Say book booked', 'The goal is reached.'],
      ['Answers so far', 'treatment', 'Sports massage', 'time', 'Mon 2 Mar, 10:00', 'email', '***'],
      ['Tools', 'scheduling.book', 'done in 27.5 ms', 'people.save', 'refused in 3 ms', 'The field email is locked.'],
      ['Knowledge that it found', 'parking', 'fact, score 6.12'],
      ['Rules', 'prices', 'flagged the message, which was sent'],
      ['Warnings', 'people.save was refused', 'tool.refused'],
      ['Captured, not sent', 'mail', 'Booked: Sports massage'],
      ['Messages', '2 messages; this is number 2.'],
      ['Time: 58 ms', 'Waiting to begin 4 ms', 'Reading what it knows 9 ms', 'Tools 31.3 ms', 'Saving 14 ms'],
    ] as const
    const parts = dialog.locator('section')
    t.equal(await parts.count(), expected.length, 'and no part that has nothing to say')
    for (const [at, words] of expected.entries()) {
      const shown = ((await parts.nth(at).textContent()) ?? '').replace(/\s+/g, ' ')
      for (const word of words) t.match(shown, word)
    }
    t.same(await faults(managed), [])
    await shot(managed, 'turn')
    await dialog.getByText('The whole record').press('Enter')
    t.match(JSON.parse((await dialog.locator('pre').last().textContent()) ?? ''), { id: 'trn_1', state: 'completed' })
    await managed.keyboard.press('Escape')
    await waitUntil(async () => !(await dialog.isVisible()))
    t.match(await managed.evaluate('document.activeElement.getAttribute("aria-label")'), /^Turn: You are booked/)
  })

  await t.test('The panel fits on a narrow page, light and dark', async (t) => {
    await managed.setViewportSize({ width: 390, height: 844 })
    await shot(managed, 'managed-narrow')
    t.equal(await managed.evaluate('document.documentElement.scrollWidth'), 390)
    await button.click()
    await shows(dialog, 'Stayed in book')
    const { x, width } = (await dialog.boundingBox())!
    t.same([x, width], [0, 390])
    t.ok(await dialog.locator('.turn-parts').evaluate((parts) => parts.scrollWidth <= parts.clientWidth))
    t.same(await faults(managed), [])
    await shot(managed, 'turn-narrow')
    await managed.emulateMedia({ colorScheme: 'dark' })
    t.same(await faults(managed, ['color-contrast']), [])
    await shot(managed, 'turn-narrow-dark')
    await managed.keyboard.press('Escape')
    t.same(await faults(managed, ['color-contrast']), [])
    await shot(managed, 'managed-narrow-dark')
    await managed.setViewportSize({ width: 1280, height: 1000 })
    await button.click()
    await shows(dialog, 'Stayed in book')
    t.same(await faults(managed, ['color-contrast']), [])
    await shot(managed, 'turn-dark')
    await managed.keyboard.press('Escape')
    await managed.emulateMedia({ colorScheme: 'light' })
  })

  await t.test('A line of its web chat has a turn too', async (t) => {
    const chat = managed.frameLocator('iframe:visible')
    await chat.getByText('Would you like a visit, or do you have a question?').waitFor()
    await chat.getByRole('textbox', { name: 'Write a message' }).fill('Hello')
    await chat.getByRole('textbox', { name: 'Write a message' }).press('Enter')
    const behind = managed.getByRole('list', { name: 'Behind the web chat' })
    await behind.getByRole('button', { name: 'Raw: Hello', exact: true }).waitFor()
    t.equal(await behind.getByRole('button', { name: 'Turn: Hello', exact: true }).count(), 0, 'of the agent alone')
    await aml.getByRole('radio', { name: 'Web chat' }).check()
    await managed.getByText('No problems.').waitFor()
    await tap(aml, 'Send to Web chat')
    await behind.getByRole('button', { name: /^Turn: You are booked/ }).click()
    await shows(dialog, /No turn is on record/)
    await managed.keyboard.press('Escape')
  })

  await t.test('The agent of each tab keeps its phones, and an agent with a webhook has no turns', async (t) => {
    await tab(managed, webhookTab).click()
    await shows(text, 'Delivered')
    t.equal(await text.getByText('You are booked').count(), 0)
    t.equal(await managed.getByRole('button', { name: /^Turn: / }).count(), 0)
    await tab(managed, managedTab).click()
    await shows(text, /You are booked/)
  })
  t.same(visit.problems, [])
  await visit.close()
})

t.test('An expired link says so', async (t) => {
  const visit = await openPage(t, `${node.mgmt}/emulator#ep1.1.notgood`)
  await visit.page.getByText(/This link is no longer good/).waitFor()
  t.same(await faults(visit.page), [])
  await shot(visit.page, 'expired')
})

t.test('Without a ticket the page asks for the operator’s key, and accepts no other', async (t) => {
  const visit = await openPage(t, `${node.mgmt}/emulator`)
  const key = visit.page.getByLabel('API key')
  await key.fill('sk-svc-of-nobody-at-all-but-long')
  await visit.page.getByRole('button', { name: 'Open' }).click()
  await visit.page.getByText('That key does not open the emulator.').waitFor()
  t.equal(await visit.page.getByText(/This link is no longer good/).count(), 0)
  t.same(await faults(visit.page), [])
  await shot(visit.page, 'entry')
  await key.fill(testKey)
  await visit.page.getByRole('button', { name: 'Open' }).click()
  await tab(visit.page, managedTab).waitFor()
})
