/** The page at the end of a sign-in without a return address: text only, without scripts. */
import type { SignInOutcome } from '../../core/connections/outcome.js'
import { reasons } from '../../core/connections/outcome.js'
import { plainPage } from '../../runtime/http/plainpage.js'
import type { Answer } from '../../runtime/http/route.js'

/**
 * Headers of every answer of the callback route: its address contains a code that must not be cached or sent as a
 * referrer.
 */
export const noStoreHeaders = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
} as const

const policy = "form-action 'none'; sandbox"
const headers = { ...noStoreHeaders, 'x-content-type-options': 'nosniff' } as const

/** Both texts are constants and contain nothing of the request. */
function page(status: number, title: string, sentence: string): Answer {
  return plainPage({ status, title, body: `<p>${sentence}</p>`, policy, headers })
}

export function outcomePage(outcome: SignInOutcome): Answer {
  if (outcome.oauthStatus === 'error') return page(200, 'Not connected', reasons[outcome.reason])
  return page(200, 'Connected', 'The sign-in is complete. You can close this page.')
}

/** Unknown, expired and used sign-ins look alike, and the person does the same in each case. */
export const unknownSignIn = page(
  400,
  'Not connected',
  'This sign-in was not started here, took too long, or has been used already. Start it again.',
)

/** The answer to HEAD, which does not consume the sign-in. */
export const headPage = page(200, 'Sign-in', 'A sign-in ends here.')

export const unavailablePage = page(503, 'Not connected', reasons.unavailable)
