/** Routes of the docs page and the OpenAPI document below each version prefix. The node serves every file itself. */
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { refuse } from '../../core/errors.js'
import { docs } from '../../core/limits/index.js'
import { answerFile, docsFile, fileHeaders, hashOf } from './docs-files.js'
import { pageHtml, pageScript, pageStyle } from './docs-page.js'
import { type OpenApiDocument, titles } from './openapi.js'
import { type Plane, type Route, route } from './route.js'

const swaggerFolder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
const swagger = JSON.parse(readFileSync(join(swaggerFolder, 'package.json'), 'utf8')) as { version: string }

/** Names contain a version or hash of the content, so that browsers may cache the files forever. */
const names = {
  swaggerStyle: `swagger-ui-${swagger.version}.css`,
  swaggerScript: `swagger-ui-${swagger.version}.js`,
  style: `parley-${shortHash(pageStyle)}.css`,
  script: `parley-${shortHash(pageScript)}.js`,
}

const css = 'text/css; charset=utf-8'
const js = 'text/javascript; charset=utf-8'
const immutable = { 'cache-control': `public, max-age=${docs.assetMaxAgeSeconds}, immutable` }
const revalidate = { 'cache-control': 'no-cache' }

/** All files of the page; no other name is looked up on disk. Both planes serve the same files. */
const assets = new Map([
  [names.swaggerStyle, docsFile(css, immutable, () => readFile(join(swaggerFolder, 'swagger-ui.css')))],
  [names.swaggerScript, docsFile(js, immutable, () => readFile(join(swaggerFolder, 'swagger-ui-bundle.js')))],
  [names.style, docsFile(css, immutable, () => pageStyle)],
  [names.script, docsFile(js, immutable, () => pageScript)],
])

/** Swagger UI draws its icons from data URLs; everything else it loads is a file of this node. */
const pageHeaders = {
  ...revalidate,
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

/** Redirects of the root, which people open first: to the emulator if it runs, otherwise to the docs. */
export function redirectRoutes(plane: Plane, prefix: string, hasEmulator: () => boolean): Route[] {
  const docsPath = `${prefix.slice(1)}/docs`
  // A relative location holds behind a proxy that changes the path.
  const redirect = (path: '/' | '/docs', location: () => string): Route =>
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
  return [redirect('/', () => (hasEmulator() ? 'emulator' : docsPath)), redirect('/docs', () => docsPath)]
}

/** `document` is called once, when the document is first read, because it describes this route too. */
export function openapiRoute(plane: Plane, document: () => OpenApiDocument): Route {
  const file = docsFile('application/json; charset=utf-8', revalidate, () => JSON.stringify(document()))
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
