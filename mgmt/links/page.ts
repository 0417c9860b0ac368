/** The page behind an outreach link: one form, plain HTML, nothing that runs and nothing from elsewhere. */
import { createHash } from 'node:crypto'
import { outreachLink as limits } from '../../core/limits.js'
import type { Answer } from '../../runtime/http/route.js'

const style = `
:root { color-scheme: light dark; --paper: #f4f5f8; --card: #fff; --ink: #16181d; --soft: #565c69; --line: #858c99;
  --act: #2348c7; --act-ink: #fff; --wrong: #b3261e; --shade: 0 1px 2px #1018281a, 0 12px 32px -8px #10182833 }
@media (prefers-color-scheme: dark) { :root { --paper: #0e1014; --card: #191c22; --ink: #f1f2f5; --soft: #aab1bf;
  --line: #737b8a; --act: #a9bcff; --act-ink: #0d1738; --wrong: #ffb4ab; --shade: 0 0 0 1px #ffffff14 } }
*, ::before { box-sizing: border-box; margin: 0 }
html { font: 100%/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; -webkit-text-size-adjust: 100% }
body { min-height: 100vh; min-height: 100svh; display: grid; place-items: center; padding: 1rem; background: var(--paper); color: var(--ink) }
main { width: 100%; max-width: 25rem; padding: clamp(1.25rem, 6vw, 2.25rem); background: var(--card); border-radius: 1.25rem;
  box-shadow: var(--shade); overflow-wrap: anywhere }
main::before { content: ""; display: block; width: 2.75rem; height: 2.25rem; margin-bottom: 1.25rem; background: var(--act);
  border-radius: 1.1rem 1.1rem 1.1rem .3rem }
h1 { font-size: 1.5rem; line-height: 1.25; letter-spacing: -.01em; text-wrap: balance }
p { margin-top: .5rem; color: var(--soft) }
form { margin-top: 1.5rem; display: grid; gap: .5rem }
label { font-weight: 600 }
input { width: 100%; min-height: 3rem; padding: .5rem .875rem; font: inherit; font-size: 1.125rem; color: inherit; background: var(--card);
  border: 1px solid var(--line); border-radius: .75rem }
input[aria-invalid] { border-color: var(--wrong); border-width: 2px }
button { min-height: 3rem; margin-top: .75rem; padding: .5rem 1rem; font: inherit; font-weight: 600; color: var(--act-ink); background: var(--act);
  border: 0; border-radius: .75rem; cursor: pointer }
button:hover { filter: brightness(1.08) }
:focus-visible { outline: 3px solid var(--act); outline-offset: 2px }
.hint, .small { margin: 0; font-size: .875rem }
.small { margin-top: 1.25rem }
span { white-space: nowrap }
.wrong { margin: 0; font-size: .9375rem; font-weight: 600; color: var(--wrong) }
`

const styleHash = createHash('sha256').update(style).digest('base64')

/** The form may go to where it came from and nowhere else; its address is nobody's business but ours. */
const headers = {
  'content-security-policy': `default-src 'none'; style-src 'sha256-${styleHash}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  'referrer-policy': 'same-origin',
  'x-frame-options': 'DENY',
  'x-robots-tag': 'noindex',
} as const

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (char) => entities[char]!)
}

function page(status: number, title: string, body: string): Answer {
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`
  return { status, body: html, type: 'text/html; charset=utf-8', headers }
}

/** `entered` is what was typed last, if it was no number. */
export function entryPage(agentName: string, entered?: string): Answer {
  const name = escaped(agentName)
  const isWrong = entered !== undefined
  const complaint = '<p class="wrong" id="wrong" role="alert">That is not a phone number with its country code.</p>\n'
  const marks = isWrong
    ? ` value="${escaped(entered)}" aria-invalid="true" aria-describedby="wrong hint" autofocus`
    : ' aria-describedby="hint"'
  return page(
    200,
    `Chat with ${name}`,
    `<p>Enter your mobile number, and ${name} will send you a message to begin with.</p>
<form method="post">
<label for="phone">Mobile number</label>
<input id="phone" name="phone" type="tel" inputmode="tel" autocomplete="tel" required maxlength="${limits.numberChars}"${marks}>
${isWrong ? complaint : ''}<p class="hint" id="hint">With the country code, such as <span>+1 415 555 0100</span>.</p>
<button>Send me a message</button>
</form>
<p class="small">Your number is used for this conversation only. Reply STOP at any time to end it.</p>`,
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

export const foreignPage = page(
  403,
  'Please enter it here',
  '<p>The number came from another page. Open the link itself and enter it there.</p>',
)

export function laterPage(status: 429 | 503, seconds: number): Answer {
  const sentence =
    status === 429
      ? 'That was a little too often. Wait a minute and try again.'
      : 'Something is being looked after. Try again in a moment.'
  const answer = page(status, 'Not just now', `<p>${sentence}</p>`)
  return { ...answer, headers: { ...headers, 'retry-after': String(seconds) } }
}
