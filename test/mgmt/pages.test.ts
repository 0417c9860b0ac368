/**
 * The pages that people get in a browser, the one of an outreach link and the end of a sign-in, at the sizes people
 * have.
 */
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import axe from 'axe-core'
import t from 'tap'
import { outcomePage, unavailablePage, unknownSignIn } from '../../mgmt/connections/page.js'
import { closedPage, entryPage, sentPage } from '../../mgmt/links/page.js'
import type { Answer } from '../../runtime/http/route.js'
import { findChromium, openBrowser } from '../harness/browser.js'
import { noisePng } from '../harness/picture.js'

t.setTimeout(300_000)

let currentAnswer: Answer | undefined
const server = createServer(({ url }, response) => {
  if (url === '/logo.png') return response.writeHead(200, { 'content-type': 'image/png' }).end(noisePng(64, 64))
  const { status, headers, type, body } = currentAnswer!
  // In a sandbox no timer runs, and axe waits for one. What the policy says of styles and pictures is the same without.
  const policy = headers!['content-security-policy']!.replace('; sandbox', '')
  response.writeHead(status, { ...headers, 'content-security-policy': policy, 'content-type': type }).end(body)
}).listen(0, '127.0.0.1')
await once(server, 'listening')
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
t.teardown(() => {
  server.closeAllConnections()
  server.close()
})
await mkdir('test/output', { recursive: true })

const logo = `${origin}/logo.png`
const harbor = { name: 'Harbor Desk', brandColor: '#0f6b5c', logoUrl: logo }
const pages: Readonly<Record<string, Answer>> = {
  link: entryPage({ name: 'Harbor Desk' }),
  branded: entryPage(harbor),
  yellow: entryPage({ name: 'Sun Taxi', brandColor: '#fe0' }),
  night: entryPage({ name: 'Night Bar', brandColor: '#000000' }, '(415) 555-0178'),
  sent: sentPage,
  closed: closedPage,
  connected: outcomePage({ oauthStatus: 'success', connectionId: 'cn_1' }),
  unknown: unknownSignIn,
  away: unavailablePage,
}

t.test('The pages work in a browser', { skip: findChromium() ? false : 'Chromium is not installed' }, async (t) => {
  const browser = await openBrowser()
  t.teardown(() => browser.close())
  for (const colorScheme of ['light', 'dark'] as const) {
    t.test(`Every page has its style, ${colorScheme}, at every size, and axe finds no fault`, async (t) => {
      const { page, problems: troubles, close } = await browser.visit({ origin, colorScheme })
      for (const [name, answer] of Object.entries(pages)) {
        currentAnswer = answer
        await page.goto(origin)
        const paper = await page.evaluate('getComputedStyle(document.body).backgroundColor')
        t.equal(paper, colorScheme === 'dark' ? 'rgb(14, 16, 20)' : 'rgb(244, 245, 248)', `${name} has its style`)
        for (const width of [320, 390, 1280]) {
          await page.setViewportSize({ width, height: 800 })
          t.equal(await page.evaluate('document.documentElement.scrollWidth'), width, `${name} fits in ${width}`)
          await page.screenshot({ path: `test/output/page-${name}-${colorScheme}-${width}.png` })
        }
        const { violations } = (await page.evaluate(`${axe.source}; axe.run(document)`)) as axe.AxeResults
        const violationTexts = violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)
        t.same(violationTexts, [], `${name} is accessible`)
      }
      const unexpected = troubles.filter((each) => !/^(400|404|503|console: Failed to load resource)/.test(each))
      t.same(unexpected, [], 'the page violates no policy')
      await close()
    })
  }

  t.test('The page of a link has the colour and the picture of its agent', async (t) => {
    const { page, close } = await browser.visit({ origin })
    currentAnswer = entryPage(harbor)
    await page.goto(origin)
    t.equal(
      await page.evaluate(`getComputedStyle(document.querySelector('button')).backgroundColor`),
      'rgb(15, 107, 92)',
    )
    t.equal(await page.evaluate(`document.querySelector('img').naturalWidth`), 64)
    await close()
  })
})

t.test('The page after a sign-in is sandboxed, and its URL leaks to no one', async (t) => {
  for (const { headers } of [pages.connected!, unknownSignIn, unavailablePage]) {
    t.match(headers!['content-security-policy'], "; form-action 'none'; sandbox;")
    t.match(headers, { 'referrer-policy': 'no-referrer', 'cache-control': 'no-store', 'x-frame-options': 'DENY' })
  }
})

t.test('A number without a country code is refused with advice, and the input stays', async (t) => {
  const national = String(entryPage({ name: 'Harbor' }, '(415) 555-0178').body)
  t.match(national, 'Start with + and your country code.')
  t.match(national, 'value="(415) 555-0178"')
  t.match(national, 'aria-invalid="true"')
  t.match(String(entryPage({ name: 'Harbor' }, '+1 415').body), 'That is not a phone number.')
})

t.test('An invalid colour or picture changes neither the style nor the policy of the page', async (t) => {
  const plain = entryPage({ name: 'Harbor' })
  for (const brandColor of ['red', '#12', '#0f6b5c;}body{display:none', '']) {
    t.same(entryPage({ name: 'Harbor', brandColor }), plain)
  }
  for (const logoUrl of [
    'javascript:alert(1)',
    'https://a;script-src/x.png',
    'data:image/png;base64,AA',
    'nothing',
    '',
  ]) {
    t.same(entryPage({ name: 'Harbor', logoUrl }), plain, logoUrl)
  }
  const { headers, body } = entryPage({ name: 'Harbor', logoUrl: 'https://cdn.example/a"b.png?x=1&y=2' })
  t.match(headers!['content-security-policy'], '; img-src https://cdn.example;')
  t.match(String(body), 'src="https://cdn.example/a%22b.png?x=1&amp;y=2"')
})
