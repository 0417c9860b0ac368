/** The way back through a conversation that is longer than what a page is told at first. */
import t from 'tap'
import { openBrowser } from '../../../harness/browser.js'
import { waitUntil } from '../../../harness/clock.js'
import { words } from './blocks.js'
import { FakeGateway } from './fakegateway.js'
import { faults, openVisitor, waitForText } from './visitor.js'

t.setTimeout(300_000)

const browser = await openBrowser()
t.teardown(() => browser.close())
const hello = 'Welcome! How can we help?'

t.test('A visitor who scrolls to the top gets older lines above, and keeps the reading position', async (t) => {
  const gateway = await FakeGateway.open(t)
  gateway.maxLines = 30
  const all = Array.from({ length: 70 }, (_, at) => `Number ${at + 1}`)
  for (const text of all) gateway.sendMessage(words(text))
  const { page, shot } = await openVisitor(t, browser, gateway)
  await page.goto(gateway.pageUrl)
  await waitForText(page, ...all.slice(40))
  t.equal(gateway.framesOfType('older').length, 0, 'older lines are not requested in advance')
  const log = page.getByRole('log')
  await page.evaluate(`document.querySelector('parley-chat').shadowRoot.querySelector('.log').scrollTo(0, 40)`)
  await waitForText(page, ...all.slice(20))
  const top = async () => (await page.getByText('Number 41', { exact: true }).boundingBox())?.y ?? -1
  const { y: above } = (await log.boundingBox())!
  t.ok((await top()) > above - 60 && (await top()) < above + 120, 'the line that was visible first keeps its position')
  await page.getByText('20 older messages').waitFor({ state: 'attached' })
  t.equal(await page.getByText(hello).count(), 0, 'a resumed conversation has no greeting')
  await shot('older')

  await t.test('A visitor loads older lines by keyboard until there are no more', async (t) => {
    await page.getByRole('button', { name: 'Show older messages' }).focus()
    await page.keyboard.press('Enter')
    await waitForText(page, hello, ...all)
    t.equal(await page.getByRole('button', { name: 'Show older messages' }).count(), 0)
    t.same(
      gateway.framesOfType('older').map(({ before }) => before),
      [41, 21],
    )
    t.same(await faults(page), [])
  })

  await t.test('New lines are announced to screen readers again, and older lines are not', async () => {
    await waitUntil(async () => (await log.getAttribute('aria-live')) === 'polite')
    gateway.sendMessage(words('Number 71'))
    await waitForText(page, hello, ...all, 'Number 71')
  })
})

t.test('A failed request for older lines is repeated', async (t) => {
  const gateway = await FakeGateway.open(t)
  gateway.maxLines = 2
  for (const text of ['One', 'Two', 'Three']) gateway.sendMessage(words(text))
  const { page } = await openVisitor(t, browser, gateway)
  await page.goto(gateway.pageUrl)
  await waitForText(page, 'Two', 'Three')
  gateway.isSilent = true
  await page.getByRole('button', { name: 'Show older messages' }).click()
  await page.getByRole('button', { name: 'Older messages are coming…' }).waitFor()
  gateway.isSilent = false
  gateway.drop()
  await page.getByRole('button', { name: 'Show older messages' }).click()
  await waitForText(page, hello, 'One', 'Two', 'Three')
})
