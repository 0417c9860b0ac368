/** Serves the widget, one script for any site, and the page that shows only a chat. */
import { LRUCache } from 'lru-cache'
import Type from 'typebox'
import { isRefusal } from '../../core/errors.js'
import { webchat as limits } from '../../core/limits/index.js'
import { parseUrl } from '../config/url.js'
import type { Directory } from '../conversation/context.js'
import { answerFile, type DocsFile, docsFile, fileHeaders } from '../http/docs-files.js'
import { escapeHtml } from '../http/plainpage.js'
import { type Route, route } from '../http/route.js'
import { type Chat, chatPattern, findChat, parseChatName } from './chat.js'

export interface ChatPagesOptions {
  readonly directory: Directory
  /** Base URL of the gateway for browsers. */
  readonly publicUrl: () => string
  /** Appearance of a chat from the agent's name and the binding's inputs: plain data, the script's argument. */
  readonly appearance: (name: string, inputs?: Readonly<Record<string, unknown>>) => { readonly title: string }
  /** The bundled script: a function of the appearance. */
  readonly widget: () => Promise<Uint8Array>
}

export function chatPageRoutes({ directory, publicUrl, appearance: appearanceFor, widget }: ChatPagesOptions): Route[] {
  const scripts = createFileCache()
  const pages = createFileCache()
  const declared = {
    plane: 'gateway',
    method: 'GET',
    tag: 'Web chat',
    access: { who: 'public' },
    params: Type.Object({ agentId: Type.String({ pattern: chatPattern }) }),
    headers: fileHeaders,
    addressBudget: 'webchatPages',
    errors: ['resource.not_found', 'service.unavailable'],
  } as const
  const appearanceOf = ({ agent, binding }: Chat) => appearanceFor(agent.name, binding.inputs)
  const find = (name: string) => findChat(directory, parseChatName(name)!)
  return [
    route({
      ...declared,
      path: '/webchat/{agentId}',
      summary: 'Open the chat of an agent as a page of its own',
      reply: { 200: 'text/html', 304: null },
      async handler({ params: { agentId: name }, header }) {
        const chat = await find(name)
        if (isRefusal(chat)) return chat
        const html = pageHtml(appearanceOf(chat), name, sitesOf(chat))
        const headers = pageHeaders(chat, publicUrl())
        const page = pages(JSON.stringify([html, headers]), () =>
          docsFile('text/html; charset=utf-8', headers, () => html),
        )
        return answerFile(page, header)
      },
    }),
    route({
      ...declared,
      path: '/webchat/{agentId}/widget.js',
      summary: 'Read the script that puts the chat of an agent on a site',
      reply: { 200: 'text/javascript', 304: null },
      async handler({ params: { agentId: name }, header }) {
        const chat = await find(name)
        if (isRefusal(chat)) return chat
        const appearance = JSON.stringify(appearanceOf(chat))
        const script = scripts(appearance, () =>
          docsFile('text/javascript; charset=utf-8', scriptHeaders, async () =>
            Buffer.concat([await widget(), Buffer.from(`(${appearance})\n`)]),
          ),
        )
        return answerFile(script, header)
      },
    }),
  ]
}

/** Caches compressed answers by recent use, because compression is the most expensive step here. */
function createFileCache(): (key: string, make: () => DocsFile) => DocsFile {
  const cache = new LRUCache<string, DocsFile>({ max: limits.cachedPages })
  return (key, make) => {
    const cached = cache.get(key)
    if (cached) return cached
    const file = make()
    cache.set(key, file)
    return file
  }
}

/**
 * A site shows a new appearance within minutes and loads the cached script meanwhile. Cross-origin isolated pages may
 * load it, too.
 */
const scriptHeaders = {
  'cache-control': `public, max-age=${limits.scriptMaxAgeSeconds}`,
  'cross-origin-resource-policy': 'cross-origin',
}

/** The configured sites of the chat: they may frame it, and ask it for the id of its visitor. */
function sitesOf({ binding }: Chat): readonly string[] {
  const origins = binding.inputs?.origins
  if (!Array.isArray(origins)) return []
  return origins
    .filter((site) => typeof site === 'string' && /^https?:\/\/[\w.:[\]-]+$/.test(site))
    .map((site) => site.toLowerCase())
}

/**
 * Only our own script and nothing inline; pictures, video and audio come from any host, since agents choose where they
 * store them.
 */
function pageHeaders(chat: Chat, publicUrl: string): Readonly<Record<string, string>> {
  const sites = sitesOf(chat)
  const socket = parseUrl(publicUrl)?.origin.replace(/^http/, 'ws') ?? ''
  return {
    'cache-control': 'no-cache',
    'content-security-policy': [
      "default-src 'none'",
      "script-src 'self'",
      'img-src https: http: data:',
      'media-src https: http:',
      `connect-src 'self' ${socket}`.trimEnd(),
      "base-uri 'none'",
      "form-action 'none'",
      `frame-ancestors ${sites.length > 0 ? sites.join(' ') : "'none'"}`,
    ].join('; '),
    'referrer-policy': 'no-referrer',
  }
}

/** Relative links, so that the page works under any path prefix of a proxy. */
function pageHtml({ title }: { readonly title: string }, name: string, sites: readonly string[]): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1, interactive-widget=resizes-content">
    <meta name="color-scheme" content="light dark">
    <title>${escapeHtml(title)}</title>
    <link rel="icon" href="data:,">
    <script src="${name}/widget.js" data-view="page" data-sites="${sites.join(' ')}" async></script>
  </head>
  <body>
    <noscript><p>This chat needs JavaScript.</p></noscript>
  </body>
</html>
`
}
