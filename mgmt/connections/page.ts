/** The page that a browser is shown when there is nowhere to send it: words alone, and nothing that could run. */
import type { SignInOutcome } from '../../core/connections/outcome.js'
import { reasons } from '../../core/connections/outcome.js'
import { plainPage } from '../../runtime/http/plainpage.js'
import type { Answer } from '../../runtime/http/route.js'

/** What goes with every answer here: the address that was called holds a code, which is nobody else's business. */
export const noStoreHeaders = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
} as const

const policy = "form-action 'none'; sandbox"
const headers = { ...noStoreHeaders, 'x-content-type-options': 'nosniff' } as const

/** Both texts are sentences of our own and hold nothing that came with a request. */
function page(status: number, title: string, sentence: string): Answer {
  return plainPage({ status, title, body: `<p>${sentence}</p>`, policy, headers })
}

export function outcomePage(outcome: SignInOutcome): Answer {
  if (outcome.oauthStatus === 'error') return page(200, 'Not connected', reasons[outcome.reason])
  return page(200, 'Connected', 'The sign-in is complete. You can close this page.')
}

/** Nobody can tell which of these it was, and it makes no difference to what a person does next. */
export const unknownSignIn = page(
  400,
  'Not connected',
  'This sign-in was not started here, took too long, or has been used already. Start it again.',
)

/** The head of a page, for who asks what is here and does not come to sign in. */
export const headPage = page(200, 'Sign-in', 'A sign-in ends here.')

export const unavailablePage = page(503, 'Not connected', reasons.unavailable)
