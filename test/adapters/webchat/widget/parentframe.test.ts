/** The chat in a frame of another site: which page gets the id of the visitor. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { openBrowser } from '../../../harness/browser.js'
import { waitUntil } from '../../../harness/clock.js'
import { FakeGateway } from './fakegateway.js'
import { openVisitor } from './visitor.js'

t.setTimeout(120_000)

const browser = await openBrowser()
t.teardown(() => browser.close())

/** A site whose page frames the given pages and notes every message that it gets. */
async function openSite(t: Test, frames: () => readonly string[]): Promise<string> {
  const server = createServer((_request, response) => {
    const framed = frames().map((url) => `<iframe src="${url}"></iframe>`)
    const noting = `<script>window.got = []; addEventListener('message', ({ data }) => got.push(data))</script>`
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end(`<link rel="icon" href="data:,">${noting}${framed.join('')}`)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const ask = `{ parleyAsks: 'visitor' }`

t.test('The page around a chat gets the visitor id on request, and no other page does', async (t) => {
  const gateway = await FakeGateway.open(t)
  const other = await openSite(t, () => [])
  const site = await openSite(t, () => [gateway.pageUrl, other])
  gateway.inputs = { ...gateway.inputs, origins: [site] }
  const { page } = await openVisitor(t, browser, gateway)
  for (const origin of [site, other]) await page.route(`${origin}/**`, (route) => route.continue())
  await page.goto(site)
  await page.frameLocator('iframe >> nth=0').getByText('Welcome! How can we help?').waitFor()
  await waitUntil(() => gateway.sockets.size === 1)
  const beside = page.frames().find((frame) => frame.url().startsWith(other))!
  await beside.evaluate(`parent.frames[0].postMessage(${ask}, '*')`)
  await page.evaluate(`frames[0].postMessage({ parleyAsks: 'token' }, '*')`)
  t.same(await page.evaluate('got'), [], 'an id that was not requested is not sent')
  await page.evaluate(`frames[0].postMessage(${ask}, '*')`)
  await page.waitForFunction('got.length > 0')
  t.same(await page.evaluate('got'), [{ parleyVisitor: 'vis_1' }])
  t.same(await beside.evaluate('got'), [], 'a frame beside the chat gets nothing')
})

t.test('A site that the chat does not allow neither frames it nor gets the id', async (t) => {
  const gateway = await FakeGateway.open(t)
  const site = await openSite(t, () => [gateway.pageUrl])
  gateway.inputs = { ...gateway.inputs, origins: ['https://harbor.example'] }
  const { page, problems: troubles } = await openVisitor(t, browser, gateway)
  await page.route(`${site}/**`, (route) => route.continue())
  await page.goto(site)
  await waitUntil(() => troubles.some((each) => each.includes('frame-ancestors')))
  await page.evaluate(`frames[0].postMessage(${ask}, '*')`)
  t.same(await page.evaluate('got'), [])
  t.equal(gateway.requestedTokens.length, 0)
})

t.test('An id is sent to allowed sites only, even if a browser ignores the policy of the page', async (t) => {
  const gateway = await FakeGateway.open(t)
  const site = await openSite(t, () => [gateway.pageUrl])
  gateway.inputs = { ...gateway.inputs, origins: ['https://harbor.example'] }
  const { page } = await openVisitor(t, browser, gateway)
  await page.route(`${site}/**`, (route) => route.continue())
  await page.route(gateway.pageUrl, async (route) => {
    const response = await route.fetch()
    const { 'content-security-policy': _policy, ...headers } = response.headers()
    await route.fulfill({ response, headers })
  })
  await page.goto(site)
  await page.frameLocator('iframe').getByText('Welcome! How can we help?').waitFor()
  await waitUntil(() => gateway.sockets.size === 1)
  await page.evaluate(`frames[0].postMessage(${ask}, '*')`)
  // What the frame answered to the first would be there before what it answers to a later message.
  await page.frames()[1]!.evaluate(`parent.postMessage('later', '*')`)
  await page.waitForFunction(`got.includes('later')`)
  t.same(await page.evaluate('got'), ['later'])
})
