/** The widget on a site that the chat refuses, and without a connection. */
import t from 'tap'
import { openBrowser } from '../../../harness/browser.js'
import { waitUntil } from '../../../harness/clock.js'
import { FakeGateway } from './fakegateway.js'
import { faults, openVisitor, phone, writes } from './visitor.js'

t.setTimeout(120_000)

const browser = await openBrowser()
t.teardown(() => browser.close())

t.test('Escape closes the panel of a refused site, and returns the focus to the launcher', async (t) => {
  for (const size of [undefined, phone]) {
    const gateway = await FakeGateway.open(t)
    gateway.refusal = 403
    const { page } = await openVisitor(t, browser, gateway)
    if (size) await page.setViewportSize(size)
    await page.goto(gateway.hostUrl)
    // The second time it is known from the start that the site is refused.
    for (const _time of ['first', 'second']) {
      await page.getByRole('button', { name: 'Open the chat' }).click()
      await page.getByText('This chat may not be shown on this site.').waitFor()
      t.same(await faults(page), [])
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      const focused = `document.querySelector('parley-chat').shadowRoot.activeElement?.className`
      await waitUntil(async () => (await page.evaluate(focused)) === 'launcher')
    }
  }
})

t.test('The console of a refused site names the origin and where to allow it, once', async (t) => {
  const gateway = await FakeGateway.open(t)
  gateway.refusal = 403
  const { page } = await openVisitor(t, browser, gateway)
  const warnings: string[] = []
  page.on('console', (message) => void (message.type() === 'warning' && warnings.push(message.text())))
  await page.goto(gateway.hostUrl)
  await page.getByRole('button', { name: 'Open the chat' }).click()
  await page.getByText('This chat may not be shown on this site.').waitFor()
  t.equal(warnings.length, 1)
  t.match(warnings[0], gateway.origin)
  t.match(warnings[0], /inputs\.origins/)
})

t.test('A visitor without a connection can retry, and unsent messages are then sent', async (t) => {
  const gateway = await FakeGateway.open(t)
  const { page, shot } = await openVisitor(t, browser, gateway)
  await page.clock.install()
  await page.goto(gateway.pageUrl)
  await page.getByText('Welcome! How can we help?').waitFor()
  await waitUntil(() => gateway.sockets.size === 1)
  await page.clock.pauseAt(Date.now() + 60_000)
  gateway.closeCode = 1013
  gateway.drop()
  const button = page.getByRole('button', { name: 'Try now' })
  await waitUntil(async () => {
    await page.clock.runFor(1_000)
    return button.isVisible()
  })
  await shot('trynow')
  await writes(page, 'Written meanwhile')
  gateway.closeCode = undefined
  // The clock of the page stands still: no try happens by itself.
  await button.click()
  await waitUntil(() => gateway.framesOfType('text').length === 1)
  await page.clock.resume()
  await button.waitFor({ state: 'detached' })
})
