/** Every part of a message in a real browser: how it is shown, and what is told when it is tapped. */
import t from 'tap'
import { vcardFile } from '../../../../adapters/webchat/widget/vcard.js'
import { openBrowser } from '../../../harness/browser.js'
import { waitUntil } from '../../../harness/clock.js'
import { actions, greeting, list, pictures, receipt, rooms, times, whereabouts, words } from './blocks.js'
import { FakeGateway } from './fakegateway.js'
import { desktop, faults, openVisitor, phone, waitForSent, waitForText } from './visitor.js'

t.setTimeout(300_000)
// Each has a stage and a browser context of its own, and mostly waits.
t.jobs = 4

const browser = await openBrowser()
t.teardown(() => browser.close())

t.test('A conversation works through the page: text, list, cards, times and confirmations answer by id', async (t) => {
  const gateway = await FakeGateway.open(t)
  const { page, problems: troubles, shot } = await openVisitor(t, browser, gateway)
  await page.goto(gateway.pageUrl)
  await waitForText(page, 'Welcome! How can we help?')
  await waitForSent(page, gateway, 'Hello')
  gateway.sendMessage(greeting)
  await page.getByRole('button', { name: 'Book a room' }).waitFor()
  t.equal(await page.locator('strong').innerText(), 'book a room')
  t.equal(await page.locator('em').innerText(), 'when the harbor sauna is free')
  t.equal(await page.locator('del').innerText(), '30')
  t.equal(await page.locator('.prose li').count(), 2)
  const link = page.getByRole('link', { name: 'our house rules' })
  t.same(
    [await link.getAttribute('href'), await link.getAttribute('rel'), await link.getAttribute('target')],
    ['https://harbor.example/rules', 'noopener noreferrer nofollow', '_blank'],
  )
  await shot('text')
  await page.getByRole('button', { name: 'Book a room' }).click()
  await waitUntil(() => gateway.framesOfType('tap').length === 1)
  t.match(gateway.framesOfType('tap')[0], { tap: 'p1.m.0', label: 'Book a room' })
  t.equal(await page.getByRole('button', { name: 'Opening hours' }).getAttribute('aria-disabled'), 'true')
  await page.getByRole('button', { name: 'Opening hours' }).click({ force: true })

  gateway.sendMessage(list)
  await page.getByRole('button', { name: /^Sailing/ }).click()
  await waitUntil(() => gateway.framesOfType('tap').length === 2)
  t.match(gateway.framesOfType('tap')[1], { tap: 'p1.m.3', label: 'Sailing' }, 'a used chip sends nothing')

  gateway.sendMessage(words('These are free:'), rooms(gateway.origin))
  await page.getByRole('button', { name: 'Select' }).nth(1).waitFor()
  await shot('carousel')
  await page.getByRole('button', { name: 'Select' }).nth(1).click()
  await waitUntil(() => gateway.framesOfType('tap').length === 3)
  t.match(gateway.framesOfType('tap')[2], { tap: 'p1.m.2', label: 'Garden room' }, 'of several alike, it is said which')

  gateway.sendMessage(times)
  await page.getByRole('button', { name: '2:30' }).waitFor()
  await shot('times')
  await page
    .getByRole('button', { name: /2:30|14:30/ })
    .first()
    .click()
  await waitUntil(() => gateway.framesOfType('tap').length === 4)
  t.equal(gateway.framesOfType('tap')[3]?.tap, 'p1.m.1')

  gateway.sendMessage(receipt)
  await page.getByRole('button', { name: 'Yes, book it' }).click()
  await waitUntil(() => gateway.framesOfType('tap').length === 5)
  t.match(gateway.framesOfType('tap')[4], { tap: 'p1.m.0', label: 'Yes, book it' })
  gateway.sendMessage(...pictures(gateway.origin), actions)
  await page.getByRole('button', { name: 'Add to calendar' }).waitFor()
  await page.getByRole('img', { name: 'The harbor at night' }).waitFor()
  await shot('receipt')
  t.same(await faults(page), [])
  t.same(troubles, [])
})

t.test('Calendar files, maps, calls and links are reported to the agent as actions, not as messages', async (t) => {
  const gateway = await FakeGateway.open(t)
  gateway.sendMessage(actions)
  const { page } = await openVisitor(t, browser, gateway)
  await page.goto(gateway.pageUrl)
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Add to calendar' }).click()
  t.equal((await download).suggestedFilename(), 'Arrival-at-Harbor-Hotel.ics')
  const stream = await (await download).createReadStream()
  const file = Buffer.concat(await stream.toArray()).toString()
  t.match(file, 'DTSTART:20261024T080000Z\r\n')
  t.match(file, 'UID:m-1-')
  const href = (name: string) => page.getByRole('link', { name }).getAttribute('href')
  t.equal(await href('View on map'), 'https://www.google.com/maps/search/?api=1&query=54.3,10.1')
  t.equal(await href('Call us'), 'tel:+494315550100')
  t.equal(await href('Open the menu'), 'https://harbor.example/menu')
  await page.getByRole('link', { name: 'Open the menu' }).click()
  await waitUntil(() => gateway.framesOfType('tap').length === 2)
  t.same(
    gateway.framesOfType('tap').map(({ tap }) => tap),
    ['p1.m.0', 'p1.m.3'],
  )
  await waitForText(page, 'Welcome! How can we help?', 'See you soon!')
})

t.test('A contact is a file that any address book reads', async (t) => {
  const gateway = await FakeGateway.open(t)
  const contact = { name: 'Harbor Hotel', phone: '+494315550100', email: 'desk@harbor.example' }
  gateway.sendWithContacts([contact], words('Harbor Hotel\n+494315550100\ndesk@harbor.example'))
  const { page, problems: troubles } = await openVisitor(t, browser, gateway)
  await page.goto(gateway.pageUrl)
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Save contact' }).click()
  t.equal((await download).suggestedFilename(), 'Harbor-Hotel.vcf')
  const stream = await (await download).createReadStream()
  t.equal(Buffer.concat(await stream.toArray()).toString(), vcardFile(contact))
  gateway.sendWithContacts([contact, { name: 'Ann Lee', organization: 'Harbor' }], words('Either of us'))
  await page.getByRole('button', { name: 'Save Ann Lee' }).waitFor()
  t.same(gateway.framesOfType('tap'), [], 'saving a contact sends nothing')
  t.same(await faults(page), [])
  t.same(troubles, [])
})

t.test('A place is shared by the browser, or typed if the browser may not share it', async (t) => {
  const gateway = await FakeGateway.open(t)
  const { page } = await openVisitor(t, browser, gateway)
  await page.context().grantPermissions(['geolocation'])
  await page.context().setGeolocation({ latitude: 54.32, longitude: 10.13 })
  await page.goto(gateway.pageUrl)
  gateway.sendMessage(whereabouts)
  await page.getByRole('button', { name: 'Share location' }).click()
  await waitUntil(() => gateway.framesOfType('location').length === 1)
  t.same(gateway.framesOfType('location')[0]?.place, { latitude: 54.32, longitude: 10.13 })

  await page.context().clearPermissions()
  gateway.sendMessage(whereabouts)
  await page.getByRole('button', { name: 'Share location' }).nth(1).click()
  await page.getByText('Your location could not be read. Please write an address.').waitFor()
  await page.getByRole('textbox', { name: 'Address' }).fill('Quay 1, Kiel')
  await page.getByRole('textbox', { name: 'Address' }).press('Enter')
  await waitUntil(() => gateway.framesOfType('location').length === 2)
  t.same(gateway.framesOfType('location')[1]?.place, { address: 'Quay 1, Kiel' })
  await page.getByRole('link', { name: 'Quay 1, Kiel' }).waitFor()
})

t.test('No text becomes markup, and only web, mail and phone addresses are opened', async (t) => {
  const gateway = await FakeGateway.open(t)
  const { page, problems: troubles } = await openVisitor(t, browser, gateway)
  await page.goto(gateway.pageUrl)
  const hostile = '<img src=x onerror="alert(1)"><script>alert(1)</script> [a](javascript:alert(1)) <b>b</b>'
  gateway.sendMessage(words(hostile), {
    kind: 'card',
    card: { title: hostile, description: hostile, chips: [{ label: 'Go', kind: 'url', url: 'javascript:alert(1)' }] },
  })
  await page.locator('.card').waitFor()
  t.equal(await page.locator('article script, article img, article b, article a').count(), 0)
  t.match(await page.locator('.card .title').innerText(), hostile)
  t.same(troubles, [])
})

for (const [scheme, size] of [
  ['light', 'desktop'],
  ['dark', 'desktop'],
  ['light', 'phone'],
  ['dark', 'phone'],
] as const) {
  t.test(`Everything can be read and reached in ${scheme} on a ${size}`, async (t) => {
    const gateway = await FakeGateway.open(t)
    const { page, shot, problems: troubles } = await openVisitor(t, browser, gateway, { colorScheme: scheme })
    await page.setViewportSize(size === 'phone' ? phone : desktop)
    await page.goto(gateway.hostUrl)
    await page.getByRole('button', { name: 'Open the chat' }).waitFor()
    await shot(`launcher-${scheme}-${size}`)
    await page.getByRole('button', { name: 'Open the chat' }).click()
    await page.getByText('Welcome! How can we help?').waitFor()
    gateway.sendMessage(greeting)
    await page.getByRole('button', { name: 'Opening hours' }).waitFor()
    await shot(`panel-${scheme}-${size}`)
    await page.getByRole('button', { name: 'Book a room' }).click()
    await waitUntil(() => gateway.framesOfType('tap').length === 1)
    gateway.sendMessage(rooms(gateway.origin))
    await page.getByRole('button', { name: 'Select' }).first().waitFor()
    await shot(`cards-${scheme}-${size}`)
    gateway.sendMessage(times)
    gateway.sendMessage(list)
    gateway.sendMessage(whereabouts)
    gateway.broadcast({ v: 1, type: 'typing', forMs: 20_000 })
    await page.getByRole('button', { name: 'Share location' }).waitFor()
    await shot(`asks-${scheme}-${size}`)
    t.same(await faults(page), [])
    const isTooWide = `document.querySelector('parley-chat').shadowRoot.querySelector('.log').scrollWidth >
      document.querySelector('parley-chat').shadowRoot.querySelector('.log').clientWidth`
    t.equal(await page.evaluate(isTooWide), false, 'no element overflows the width')
    t.same(troubles, [])
  })
}
