/** The docs page: HTML, script and style around Swagger UI, with nothing inline. */

export interface PageFiles {
  readonly swaggerStyle: string
  readonly swaggerScript: string
  readonly style: string
  readonly script: string
}

/** Links are relative to the version prefix, so the page works behind a proxy that changes the path. */
export function pageHtml(title: string, files: PageFiles): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${title}</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="docs/${files.swaggerStyle}">
    <link rel="stylesheet" href="docs/${files.style}">
    <script src="docs/${files.script}"></script>
    <script src="docs/${files.swaggerScript}" defer></script>
  </head>
  <body>
    <header>
      <strong>Parley</strong>
      <a href="openapi.json">openapi.json</a>
    </header>
    <main id="docs"><p>Loading the description of the API.</p></main>
    <noscript><p>This page needs JavaScript. The description itself is at <a href="openapi.json">openapi.json</a>.</p></noscript>
  </body>
</html>
`
}

/**
 * Runs in the head, before the first paint, so that a dark page never flashes white. Calls that a reader tries out go
 * to the node that served the page, also when the document publishes another address: the page's policy allows no
 * other.
 */
export const pageScript = `'use strict'
const dark = matchMedia('(prefers-color-scheme: dark)')
const paint = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', paint)
paint()

// Swagger UI gives its list of servers and its × no name, and the last field of Authorize the focus.
let hasDialog = false
const mend = () => {
  document.querySelector('select#servers:not([aria-label])')?.setAttribute('aria-label', 'Server')
  document.querySelector('.close-modal:not([aria-label])')?.setAttribute('aria-label', 'Close')
  const dialog = document.querySelector('.modal-ux')
  const opened = dialog && !hasDialog
  hasDialog = dialog !== null
  if (!opened) return
  dialog.querySelector('.modal-ux-content').scrollTop = 0
  dialog.querySelector('input')?.focus({ preventScroll: true })
}

addEventListener('DOMContentLoaded', async () => {
  const main = document.getElementById('docs')
  new MutationObserver(mend).observe(main, { childList: true, subtree: true })
  try {
    const answer = await fetch('openapi.json')
    if (!answer.ok) throw new Error('openapi.json answered ' + answer.status)
    const spec = await answer.json()
    spec.servers = [{ url: new URL('.', location.href).href.replace(/\\/$/, '') }]
    SwaggerUIBundle({
      spec,
      domNode: main,
      deepLinking: true,
      defaultModelsExpandDepth: 0,
      displayRequestDuration: true,
      docExpansion: 'list',
      filter: true,
      persistAuthorization: false,
      tryItOutEnabled: true,
      validatorUrl: null,
    })
  } catch (error) {
    main.textContent = 'The description could not be shown: ' + error.message
  }
})
`

export const pageStyle = `:root { color-scheme: light; --paper: #fafafa; --ink: #1b1b1b; --edge: #d8dde7 }
:root.dark-mode { color-scheme: dark; --paper: #1c2022; --ink: #e4e6e6; --edge: #3b4151 }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif }
body > header {
  display: flex; justify-content: space-between; align-items: baseline;
  max-width: 1460px; margin: 0 auto; padding: 12px 20px; border-bottom: 1px solid var(--edge);
}
body > header a, noscript a { color: inherit }
main > p, noscript p { max-width: 1420px; margin: 24px auto; padding: 0 20px }
.swagger-ui, .swagger-ui .info .title, .swagger-ui .opblock-tag, .swagger-ui .opblock .opblock-summary-description,
.swagger-ui label, .swagger-ui table thead tr td, .swagger-ui table thead tr th, .swagger-ui .btn,
.swagger-ui .opblock .opblock-section-header h4, .swagger-ui .response-col_status { font-family: system-ui, sans-serif }
.swagger-ui .info { margin: 24px 0 }
`
