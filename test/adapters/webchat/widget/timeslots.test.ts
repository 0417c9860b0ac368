/** Times to pick, as they lie in their boxes. */
import t from 'tap'
import { openBrowser } from '../../../harness/browser.js'
import { waitUntil } from '../../../harness/clock.js'
import { times } from './blocks.js'
import { FakeGateway } from './fakegateway.js'
import { openVisitor, waitForSent } from './visitor.js'

t.setTimeout(120_000)

const browser = await openBrowser()
t.teardown(() => browser.close())

t.test('A selected time stays within its box, with its mark, at every width', async (t) => {
  for (const width of [320, 390, 1280]) {
    const gateway = await FakeGateway.open(t)
    const { page, shot } = await openVisitor(t, browser, gateway)
    await page.setViewportSize({ width, height: 844 })
    await page.goto(gateway.pageUrl)
    await waitForSent(page, gateway, 'Hello')
    gateway.sendMessage(times)
    await page
      .getByRole('button', { name: /2:30|14:30/ })
      .first()
      .click()
    await waitUntil(() => gateway.framesOfType('tap').length === 1)
    const over = `(() => {
      const root = document.querySelector('parley-chat').shadowRoot
      return [...root.querySelectorAll('.time')].flatMap((time) => {
        const box = time.getBoundingClientRect()
        return [...time.querySelectorAll('.words, .icon')].filter((part) => {
          const { left, right } = part.getBoundingClientRect()
          return left < box.left + 2 || right > box.right - 2 || part.scrollWidth > part.clientWidth + 1
        }).map((part) => part.outerHTML)
      })
    })()`
    const hasMark = `document.querySelector('parley-chat').shadowRoot.querySelectorAll('.time .icon').length`
    await waitUntil(async () => (await page.evaluate(hasMark)) === 1)
    t.same(await page.evaluate(over), [], `at ${width} px`)
    await shot(`picked-${width}`)
  }
})
