/** The page of an outreach link: one form, plain HTML, no scripts. */
import { outreachLink as limits } from '../../core/limits/index.js'
import { escapeHtml, type PageBranding, plainPage } from '../../runtime/http/plainpage.js'
import type { Answer } from '../../runtime/http/route.js'

/** The form may post to its own origin only, and the page's address does not leave that origin. */
const policy = "form-action 'self'"
const headers = { 'referrer-policy': 'same-origin', 'x-robots-tag': 'noindex' } as const

function page(status: number, title: string, body: string, branding: PageBranding = {}): Answer {
  return plainPage({ status, title, body, policy, headers, branding })
}

/** The agent's name and branding on the page. */
export interface AgentBranding extends PageBranding {
  readonly name: string
}

/** A national number may belong to any country, so the page does not guess the country code. */
function phoneError(entered: string): string {
  const isNational = !/^\s*(\+|00)/.test(entered)
  const sentence = isNational ? 'Start with + and your country code.' : 'That is not a phone number.'
  return `<p class="wrong" id="wrong" role="alert">${sentence}</p>\n`
}

/** `entered` is the last input if it was not a phone number. */
export function entryPage({ name: agentName, ...branding }: AgentBranding, entered?: string): Answer {
  const name = escapeHtml(agentName)
  const isInvalid = entered !== undefined
  const attributes = isInvalid
    ? ` value="${escapeHtml(entered)}" aria-invalid="true" aria-describedby="wrong hint" autofocus`
    : ' aria-describedby="hint"'
  return page(
    200,
    `Chat with ${name}`,
    `<p>Enter your mobile number, and ${name} will send you a message to begin with.</p>
<form method="post">
<label for="phone">Mobile number</label>
<input id="phone" name="phone" type="tel" inputmode="tel" autocomplete="tel" required maxlength="${limits.numberChars}"${attributes}>
${isInvalid ? phoneError(entered) : ''}<p class="hint" id="hint">Start with + and your country code, such as <span>+1 415 555 0100</span>.</p>
<button>Send me a message</button>
</form>
<p class="small">Your number is used for this conversation only. Reply STOP at any time to end it.</p>`,
    branding,
  )
}

/** The same page for every number, so that it reveals nothing about the number. */
export const sentPage = page(
  200,
  'Look at your phone',
  '<p role="status">If this number can receive it, a message is on its way.</p>',
)

/** The same page for a link that is unknown, expired, used up or disabled. */
export const closedPage = page(
  404,
  'This link is not open',
  '<p>It may have expired or been used up. Ask for a new one where you got it.</p>',
)

export const crossOriginPage = page(
  403,
  'Please enter it here',
  '<p>The number came from another page. Open the link itself and enter it there.</p>',
)

export function retryPage(status: 429 | 503, seconds: number): Answer {
  const sentence =
    status === 429
      ? 'That was a little too often. Wait a minute and try again.'
      : 'Something is being looked after. Try again in a moment.'
  const answer = page(status, 'Not just now', `<p>${sentence}</p>`)
  return { ...answer, headers: { ...answer.headers, 'retry-after': String(seconds) } }
}
