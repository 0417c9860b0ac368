/** A headless Chromium that records a page's faults: errors, refused loads, calls to other origins. */
import { existsSync } from 'node:fs'
import { type Browser, chromium, type Page } from 'playwright-core'

export interface PageVisit {
  readonly page: Page
  /** The faults so far, one sentence each. */
  readonly problems: readonly string[]
  close(): Promise<void>
}

export interface VisitOptions {
  /** The only origin that the page may call; calls to others are recorded and blocked. */
  readonly origin: string
  readonly colorScheme?: 'dark' | 'light'
}

export interface Chromium {
  /** Opens a page with an empty profile. */
  visit(options: VisitOptions): Promise<PageVisit>
  close(): Promise<void>
}

const paths = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** The path of Chromium, or undefined; `CHROMIUM_PATH` comes before the usual places. */
export function findChromium(): string | undefined {
  return process.env.CHROMIUM_PATH ?? paths.find((path) => existsSync(path))
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
