/** The contract's table of routes as data, and how a declaration reads in its words. */
import { readFileSync } from 'node:fs'
import type { Route } from '../../runtime/http/route.js'

export interface ContractRow {
  readonly name: string
  readonly role: string
  readonly scopes: readonly string[]
  readonly statuses: readonly number[]
}

const here = new URL('../../../test/contract/', import.meta.url)

export function contractRows(): Map<string, ContractRow> {
  const rows = new Map<string, ContractRow>()
  for (const line of linesOf('routes.tsv')) {
    const [plane, method, path, role, scope, status] = line.split('\t') as [
      string,
      string,
      string,
      string,
      string,
      string,
    ]
    const name = `${plane} ${method} ${path}`
    if (rows.has(name)) throw new Error(`${name} stands twice in the table`)
    rows.set(name, {
      name,
      role,
      scopes: scope === '-' ? [] : scope.split('|'),
      statuses: status.split(',').map(Number),
    })
  }
  return rows
}

/** Routes of the table that nobody has declared yet. The list may only become shorter. */
export function pendingRows(): string[] {
  return linesOf('routes-pending.txt')
}

export function nameOf(route: Route): string {
  return `${route.plane} ${route.method} ${route.path}`
}

export function asRow(route: Route): ContractRow {
  const { access } = route
  return {
    name: nameOf(route),
    role: access.who === 'member' ? access.role : access.who,
    scopes: ('scopes' in access && access.scopes) || [],
    statuses: Object.keys(route.reply).map(Number),
  }
}

function linesOf(file: string): string[] {
  const text = readFileSync(new URL(file, here), 'utf8')
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
}
