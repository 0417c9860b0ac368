/** Names of orgs and agents on the command line, and the API paths they stand for. */
import { slugPattern } from '../../core/ids.js'
import { commandLineVariables as variables } from '../config/config.js'
import { usageError } from './failure.js'
import type { Session } from './program.js'

export const agentArgument = ['<agent>', 'id of the agent, or org/agent'] as const

/** The path of the named org, or else of the key's org. */
export async function orgPath({ api, org }: Session): Promise<string> {
  return `/orgs/${org === undefined ? await ownOrg(api) : checkSlug(org)}`
}

/** The path of an agent, named alone or as `org/agent`. */
export async function agentPath(session: Session, name: string): Promise<string> {
  const [agent = '', org, ...more] = name.split('/').reverse()
  if (more.length > 0) throw nameError(name)
  return `${await orgPath({ ...session, org: org ?? session.org })}/agents/${checkSlug(agent)}`
}

async function ownOrg(api: Session['api']): Promise<string> {
  const me = await api.get<{ org: { id: string } }>('/me')
  return me.org.id
}

function checkSlug(text: string): string {
  if (!text.match(slugPattern)) throw nameError(text)
  return text
}

function nameError(text: string) {
  return usageError(
    `${JSON.stringify(text.slice(0, 100))} names nothing. Type an agent as harbor-desk or demo/harbor-desk; the org ` +
      `alone goes into --org or ${variables.org}.`,
  )
}

/** Encodes an id from the command line for use in a path. */
export const encodeId = encodeURIComponent
