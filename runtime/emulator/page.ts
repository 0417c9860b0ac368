/** Serves the emulator page: one document and one script, nothing inline. */
import { type Refusal, refuse } from '../../core/errors.js'
import { parseUrl } from '../config/url.js'
import { answerFile, docsFile, fileHeaders } from '../http/docs-files.js'
import { type Answer, type Route, route } from '../http/route.js'

export interface PageOptions {
  readonly isOpen: () => boolean
  /** Base URL of the gateway, whose chat the page frames. */
  readonly gatewayUrl: () => string
  /** The bundled script. */
  readonly script: () => Promise<Uint8Array>
}

const html = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>Parley emulator</title>
    <link rel="icon" href="data:,">
    <script src="emulator/page.js" defer></script>
  </head>
  <body>
    <noscript><p>The emulator needs JavaScript.</p></noscript>
  </body>
</html>
`

/** Outside the version prefix, because the page is no part of the API. */
export function pageRoutes({ isOpen, gatewayUrl, script }: PageOptions): Route[] {
  const common = { plane: 'mgmt', method: 'GET', tag: 'Emulator', access: { who: 'public' } } as const
  const served = { ...common, headers: fileHeaders, errors: ['resource.not_found'] } as const
  const file = docsFile('text/javascript; charset=utf-8', { 'cache-control': 'no-cache' }, script)
  const closed = refuse('resource.not_found', { detail: 'The emulator does not run in this process.' })
  const whenOpen = (answer: () => Promise<Answer>): Promise<Answer> | Refusal => (isOpen() ? answer() : closed)

  function document() {
    return docsFile('text/html; charset=utf-8', headersWith(parseUrl(gatewayUrl())?.origin ?? ''), () => html)
  }
  let page: ReturnType<typeof document> | undefined

  return [
    route({
      ...served,
      path: '/emulator',
      summary: 'Open the emulator',
      reply: { 200: 'text/html', 304: null },
      handler: ({ header }) =>
        whenOpen(() => {
          page ??= document()
          return answerFile(page, header)
        }),
    }),
    route({
      ...served,
      path: '/emulator/page.js',
      summary: 'Read the script of the emulator',
      reply: { 200: 'text/javascript', 304: null },
      handler: ({ header }) => whenOpen(() => answerFile(file, header)),
    }),
  ]
}

/** Pictures come from any host, the chat from the gateway, and everything else from this origin. */
function headersWith(gateway: string): Readonly<Record<string, string>> {
  return {
    'cache-control': 'no-cache',
    'content-security-policy': [
      "default-src 'none'",
      "script-src 'self'",
      'img-src https: http: data:',
      'media-src https: http:',
      "connect-src 'self'",
      `frame-src ${gateway || "'none'"}`,
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'referrer-policy': 'no-referrer',
  }
}
