/** A headless Chromium that notes whatever a page does wrong: errors, refused loads, and calls to anybody else. */
import { existsSync } from 'node:fs'
import { type Browser, chromium, type Page } from 'playwright-core'

export interface PageVisit {
  readonly page: Page
  /** What went wrong so far, one sentence each. */
  readonly problems: readonly string[]
  close(): Promise<void>
}

export interface VisitOptions {
  /** The only origin the page may speak to; calls to others are noted and go nowhere. */
  readonly origin: string
  readonly colorScheme?: 'dark' | 'light'
}

export interface Chromium {
  /** A new page with nothing remembered from those before it. */
  visit(options: VisitOptions): Promise<PageVisit>
  close(): Promise<void>
}

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** Where Chromium is, or undefined; `CHROMIUM_PATH` wins over the usual places. */
export function findChromium(): string | undefined {
  return process.env.CHROMIUM_PATH ?? places.find((path) => existsSync(path))
}

export async function openBrowser(): Promise<Chromium> {
  const executablePath = findChromium()
  if (!executablePath) throw new Error('no Chromium found: install it or name it in CHROMIUM_PATH')
  const browser = await chromium.launch({ executablePath, args: flags })
  return { visit: (options) => openVisit(browser, options), close: () => browser.close() }
}

async function openVisit(browser: Browser, { origin, colorScheme = 'light' }: VisitOptions): Promise<PageVisit> {
  const context = await browser.newContext({ colorScheme, viewport: { width: 1280, height: 1400 } })
  const problems: string[] = []
  await context.route(
    (url) => url.protocol !== 'data:' && url.protocol !== 'blob:' && url.origin !== origin,
    (route) => {
      problems.push(`external request: ${route.request().url()}`)
      return route.abort()
    },
  )
  await context.exposeFunction('noteViolation', (what: string) => void problems.push(`policy violation: ${what}`))
  await context.addInitScript(`addEventListener('securitypolicyviolation', (event) => {
    noteViolation(event.effectiveDirective + ' ' + event.blockedURI)
  })`)
  const page = await context.newPage()
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(`console: ${message.text()}`)
  })
  page.on('pageerror', (error) => problems.push(`page error: ${error.message}`))
  page.on('requestfailed', (request) => problems.push(`failed: ${request.url()} ${request.failure()?.errorText ?? ''}`))
  page.on('response', (response) => {
    if (response.status() >= 400) problems.push(`${response.status()}: ${response.url()}`)
  })
  return { page, problems, close: () => context.close() }
}
