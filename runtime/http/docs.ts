/** The docs page and the OpenAPI document below each version prefix, served by ourselves down to the last file. */
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { refuse } from '../../core/errors.js'
import { docs } from '../../core/limits.js'
import { answerFile, docsFile, fileHeaders, hashOf } from './docs-files.js'
import { pageHtml, pageScript, pageStyle } from './docs-page.js'
import { type OpenApiDocument, titles } from './openapi.js'
import { type Plane, type Route, route } from './route.js'

const swaggerFolder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
const swagger = JSON.parse(readFileSync(join(swaggerFolder, 'package.json'), 'utf8')) as { version: string }

/** Named after what is in them, so that a browser may keep them for good and still gets a new one when there is one. */
const names = {
  swaggerStyle: `swagger-ui-${swagger.version}.css`,
  swaggerScript: `swagger-ui-${swagger.version}.js`,
  style: `parley-${shortHash(pageStyle)}.css`,
  script: `parley-${shortHash(pageScript)}.js`,
}

const css = 'text/css; charset=utf-8'
const js = 'text/javascript; charset=utf-8'
const keepForGood = { 'cache-control': `public, max-age=${docs.assetMaxAgeSeconds}, immutable` }
const askAgain = { 'cache-control': 'no-cache' }

/** Every file there is: a name that is not here is not looked for on disk. Both planes serve the same ones. */
const assets = new Map([
  [names.swaggerStyle, docsFile(css, keepForGood, () => readFile(join(swaggerFolder, 'swagger-ui.css')))],
  [names.swaggerScript, docsFile(js, keepForGood, () => readFile(join(swaggerFolder, 'swagger-ui-bundle.js')))],
  [names.style, docsFile(css, keepForGood, () => pageStyle)],
  [names.script, docsFile(js, keepForGood, () => pageScript)],
])

/** Swagger UI draws its icons from data URLs and needs nothing else that is not a file of ours. */
const pageHeaders = {
  ...askAgain,
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'referrer-policy': 'no-referrer',
}

export function docsRoutes(plane: Plane): Route[] {
  const page = docsFile('text/html; charset=utf-8', pageHeaders, () => pageHtml(titles[plane], names))
  return [
    route({
      plane,
      method: 'GET',
      path: '/docs',
      summary: 'Read the docs page',
      tag: 'Documentation',
      access: { who: 'public' },
      headers: fileHeaders,
      reply: { 200: 'text/html', 304: null },
      handler: ({ header }) => answerFile(page, header),
    }),
    route({
      plane,
      method: 'GET',
      path: '/docs/{asset}',
      summary: 'Read a file of the docs page',
      tag: 'Documentation',
      access: { who: 'public' },
      headers: fileHeaders,
      reply: { 200: '*/*', 304: null },
      handler: ({ params, header }) => {
        const asset = assets.get(params.asset)
        return asset ? answerFile(asset, header) : refuse('resource.not_found')
      },
    }),
  ]
}

/** People open the root first: it leads to the emulator where that runs, and to the docs everywhere else. */
export function entranceRoutes(plane: Plane, prefix: string, hasEmulator: () => boolean): Route[] {
  const docsPath = `${prefix.slice(1)}/docs`
  // Relative, so that it holds under whatever path a proxy puts the node.
  const to = (path: '/' | '/docs', location: () => string): Route =>
    route({
      plane,
      method: 'GET',
      path,
      summary: 'Be led to the page for people',
      tag: 'Documentation',
      access: { who: 'public' },
      reply: { 302: null },
      handler: () => ({ status: 302, headers: { location: location() } }),
    })
  return [to('/', () => (hasEmulator() ? 'emulator' : docsPath)), to('/docs', () => docsPath)]
}

/** The document is asked for once, when it is first read, since it describes this route too. */
export function openapiRoute(plane: Plane, document: () => OpenApiDocument): Route {
  const file = docsFile('application/json; charset=utf-8', askAgain, () => JSON.stringify(document()))
  return route({
    plane,
    method: 'GET',
    path: '/openapi.json',
    summary: 'Read this description',
    tag: 'Documentation',
    access: { who: 'public' },
    headers: fileHeaders,
    reply: { 200: 'application/json', 304: null },
    handler: ({ header }) => answerFile(file, header),
  })
}

function shortHash(text: string): string {
  return hashOf(text)
    .replace(/[^A-Za-z0-9]/g, '')
    .slice(0, 10)
}
