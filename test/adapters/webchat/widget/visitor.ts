/** A person in front of a browser, and what a test asks of the chat they look at. */
import { mkdir } from 'node:fs/promises'
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import type { Test } from 'tap'
import type { Chromium, PageVisit, VisitOptions } from '../../../harness/browser.js'
import { waitUntil } from '../../../harness/clock.js'
import type { FakeGateway } from './fakegateway.js'

export const desktop = { width: 1100, height: 820 }
export const phone = { width: 360, height: 740 }

export interface VisitorPage extends PageVisit {
  /** What a person in front of it sees is kept where test output is. */
  shot(name: string): Promise<void>
}

export async function openVisitor(
  t: Test,
  browser: Chromium,
  gateway: FakeGateway,
  options: Partial<VisitOptions> = {},
): Promise<VisitorPage> {
  const visit = await browser.visit({ origin: gateway.origin, ...options })
  t.teardown(() => visit.close())
  visit.page.setDefaultTimeout(60_000)
  await visit.page.setViewportSize(desktop)
  await visit.page.emulateMedia({ reducedMotion: 'reduce' })
  await gateway.routeSockets(visit.page.context())
  return { ...visit, shot: (name) => shot(visit.page, name) }
}

export async function shot(page: Page, name: string): Promise<void> {
  await mkdir('test/output', { recursive: true })
  await page.screenshot({ path: `test/output/webchat-${name}.png` })
}

export const field = (page: Page) => page.getByRole('textbox', { name: 'Write a message' })

export async function writes(page: Page, text: string): Promise<void> {
  await field(page).fill(text)
  await field(page).press('Enter')
}

/** The same, and it is on record: what the agent says next stands below it. */
export async function waitForSent(page: Page, gateway: FakeGateway, text: string): Promise<void> {
  await writes(page, text)
  await waitUntil(() => gateway.record.some((line) => line.type === 'said' && line.text === text))
}

/** Every line of the conversation as it is read, without who said it and when. */
export async function lines(page: Page): Promise<string[]> {
  const read = `[...document.querySelector('parley-chat').shadowRoot.querySelectorAll('article.line')].map((line) =>
    [...line.querySelectorAll('.bubble')].map((bubble) => bubble.innerText.trim()).join(' | '))`
  return page.evaluate(read)
}

export async function waitForText(page: Page, ...expected: string[]): Promise<void> {
  await waitUntil(async () => JSON.stringify(await lines(page)) === JSON.stringify(expected))
}

/** What axe finds wrong, each with the first element it is wrong about. */
export async function faults(page: Page): Promise<string[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source)
  const { violations } = (await page.evaluate('axe.run(document, { resultTypes: ["violations"] })')) as axe.AxeResults
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.target.flat().join(' ')} ${nodes[0]?.failureSummary}`)
}
