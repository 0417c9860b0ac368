/** HTML pages for people who follow a link: one style, light and dark, and no script. */
import { createHash } from 'node:crypto'
import { brandOf, parseColor } from '../../core/brand.js'
import { parseUrl } from '../config/url.js'
import type { Answer } from './route.js'

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
main:has(img)::before { display: none }
img { display: block; width: 4rem; height: 4rem; margin-bottom: 1.25rem; border-radius: 1rem; object-fit: cover }
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

/** The brand that a page shows. A colour or URL that is not valid is left out. */
export interface PageBranding {
  /** `#rgb` or `#rrggbb`. */
  readonly brandColor?: string
  readonly logoUrl?: string
}

export interface PlainPage {
  readonly status: number
  /** HTML, like the body. */
  readonly title: string
  readonly body: string
  /** Directives of the content security policy, beside those of every page. */
  readonly policy: string
  readonly headers: Readonly<Record<string, string>>
  readonly branding?: PageBranding
}

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`
const styleHash = hashOf(style)

export function plainPage({ status, title, body, policy, headers, branding = {} }: PlainPage): Answer {
  const colors = colorsOf(branding.brandColor)
  const logo = logoOf(branding.logoUrl)
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${style}</style>${colors && `\n<style>${colors}</style>`}
</head>
<body>
<main>
${logo ? `<img src="${escapeHtml(logo.href)}" alt="" referrerpolicy="no-referrer">\n` : ''}<h1>${title}</h1>
${body}
</main>
</body>
</html>
`
  const directives = [
    "default-src 'none'",
    `style-src ${styleHash}${colors && ` ${hashOf(colors)}`}`,
    ...(logo ? [`img-src ${logo.origin}`] : []),
    policy,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ]
  return {
    status,
    body: html,
    type: 'text/html; charset=utf-8',
    headers: { ...headers, 'content-security-policy': directives.join('; '), 'x-frame-options': 'DENY' },
  }
}

/** The brand's colour, adapted to be legible on the light and on the dark background; empty without one. */
function colorsOf(brandColor: string | undefined): string {
  if (!parseColor(brandColor)) return ''
  const { onLight, onDark } = brandOf(brandColor)
  return `:root { --act: ${onLight} } @media (prefers-color-scheme: dark) { :root { --act: ${onDark} } }`
}

/** The logo's origin becomes part of the policy, so its host may hold only characters of host names. */
function logoOf(logoUrl: string | undefined): URL | undefined {
  const url = parseUrl(logoUrl ?? '')
  return url && /^https?:$/.test(url.protocol) && /^[\w.:[\]-]+$/.test(url.host) ? url : undefined
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => entities[char]!)
}
