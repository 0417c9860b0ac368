/** Operation ids, derived from method and path alone, so that they stay stable. */
import type { TSchema } from 'typebox'
import { nameFrom } from './openapi-schemas.js'
import type { Route } from './route.js'

/**
 * The id of `GET /orgs/{org}/api-keys` is `listOrgApiKeys`, that of `DELETE /orgs/{org}/api-keys/{keyId}` is
 * `deleteOrgApiKey`. The id of a path that ends in a verb (`_rotate`, `flow:generate`) begins with the verb.
 */
export function operationIds(routes: readonly Route[]): Map<Route, string> {
  const short = routes.map((route) => idOf(route, singular))
  return new Map(
    routes.map((route, index) => {
      const id = short[index]!
      return [route, short.indexOf(id) === short.lastIndexOf(id) ? id : idOf(route, nameByParam)]
    }),
  )
}

type NameItem = (collection: string, param: string) => string

function idOf(route: Route, nameItem: NameItem): string {
  const { parts, verb } = verbOf(route)
  const nouns: string[] = []
  for (const part of parts) {
    const param = /^\{(\w+)\}$/.exec(part)?.[1]
    if (param) nouns.push(nameItem(nouns.pop() ?? '', param))
    else nouns.push(nameFrom(part))
  }
  const last = nouns.pop() ?? ''
  return verb + nouns.join('') + (verb === 'create' ? singularOf(last) : last)
}

function verbOf(route: Route): { parts: string[]; verb: string } {
  const parts = route.path.split('/').filter((part) => part !== '')
  const last = parts.at(-1) ?? ''
  const [noun, verb] = last.startsWith('_') ? ['', last.slice(1)] : last.split(':')
  if (!verb) return { parts, verb: methodVerb(route) }
  return { parts: [...parts.slice(0, -1), ...(noun ? [noun] : [])], verb: lowerFirst(nameFrom(verb)) }
}

function methodVerb({ method, reply }: Route): string {
  switch (method) {
    case 'GET':
      return isList(reply[200]) ? 'list' : 'get'
    case 'POST':
      return reply[201] === undefined ? 'post' : 'create'
    case 'PUT':
      return 'replace'
    case 'PATCH':
      return 'update'
    case 'DELETE':
      return 'delete'
  }
}

/** Routes of lists answer `{ data: [...] }`. */
function isList(reply: TSchema | null | string | undefined): boolean {
  const data = (reply as { properties?: { data?: { type?: string } } } | undefined)?.properties?.data
  return data?.type === 'array'
}

function singular(collection: string, param: string): string {
  const one = singularOf(collection)
  const isUnambiguous = one !== collection || nameFrom(param).replace(/Id$/, '') === collection
  return isUnambiguous ? one : nameByParam(collection, param)
}

function singularOf(collection: string): string {
  if (collection.endsWith('People')) return collection.replace(/People$/, 'Person')
  return collection.replace(/ies$/, 'y').replace(/([^s])s$/, '$1')
}

function nameByParam(collection: string, param: string): string {
  return `${collection}By${nameFrom(param)}`
}

function lowerFirst(word: string): string {
  return word.charAt(0).toLowerCase() + word.slice(1)
}
