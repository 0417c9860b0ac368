/** The page behind an outreach link: one form, plain HTML, nothing that runs. */
import { outreachLink as limits } from '../../core/limits/index.js'
import { escapeHtml, type PageBranding, plainPage } from '../../runtime/http/plainpage.js'
import type { Answer } from '../../runtime/http/route.js'

/** The form may go to where it came from and nowhere else; its address is nobody's business but ours. */
const policy = "form-action 'self'"
const headers = { 'referrer-policy': 'same-origin', 'x-robots-tag': 'noindex' } as const

function page(status: number, title: string, body: string, branding: PageBranding = {}): Answer {
  return plainPage({ status, title, body, policy, headers, branding })
}

/** What the page shows of the agent. */
export interface AgentBranding extends PageBranding {
  readonly name: string
}

/** A national number may belong to a person in any country, so it is not completed with a guess. */
function phoneError(entered: string): string {
  const isNational = !/^\s*(\+|00)/.test(entered)
  const sentence = isNational ? 'Start with + and your country code.' : 'That is not a phone number.'
  return `<p class="wrong" id="wrong" role="alert">${sentence}</p>\n`
}

/** `entered` is what was typed last, if it was no number. */
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

/** The same for every number, whoever has it. */
export const sentPage = page(
  200,
  'Look at your phone',
  '<p role="status">If this number can receive it, a message is on its way.</p>',
)

/** The same for a link that never was, is over, or is switched off. */
export const closedPage = page(
  404,
  'This link is not open',
  '<p>It may have expired or been used up. Ask whoever gave it to you for a new one.</p>',
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
