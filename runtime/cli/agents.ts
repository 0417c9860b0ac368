/** `parley agents`: lists the agents of an org, shows one, exports and imports an agent as a document. */
import { readFileSync, writeFileSync } from 'node:fs'
import type { Command } from 'commander'
import { type Column, formatTable } from './columns.js'
import { usageError } from './failure.js'
import { fetchAll, formatMinute, printResult, sanitizeLine } from './output.js'
import { agentArgument, agentPath, orgPath } from './paths.js'
import type { Session } from './program.js'
import type { Paint } from './terminal.js'

/** The printed fields of an agent. */
interface Agent {
  readonly id: string
  readonly orgId: string
  readonly name: string
  readonly description?: string
  readonly identity?: Readonly<Record<string, unknown>>
  readonly createdAt: string
  readonly updatedAt: string
}

/** The printed fields of a binding. */
interface Binding {
  readonly id: string
  readonly channel: string
  readonly provider?: string
  readonly status: string
}

const yaml = 'application/yaml'
/** In place of a file name: stdin or stdout. */
const stdio = '-'

export function agents(program: Command, getSession: () => Session): void {
  const command = program
    .command('agents')
    .description('list the agents of the org')
    .action(() => listAgents(getSession()))
  command
    .command('show')
    .description('print one agent and its channels')
    .argument(...agentArgument)
    .action((agent: string) => showAgent(getSession(), agent))
  command
    .command('export')
    .description('write the whole configuration of an agent as YAML, or as JSON where the file is named so')
    .argument(...agentArgument)
    .argument('[file]', 'where to; - is stdout', stdio)
    .addHelpText('after', '\nExample: parley agents export harbor-desk desk.yaml')
    .action((agent: string, file: string) => exportAgent(getSession(), agent, file))
  command
    .command('import')
    .description('replace what the document holds in an agent, all of it or nothing')
    .argument(...agentArgument)
    .argument('<file>', 'YAML or JSON as `export` writes it; - is stdin')
    .addHelpText('after', '\nExample: parley agents export demo/desk | parley agents import demo/desk-two -')
    .action((agent: string, file: string) => importAgent(getSession(), agent, file))
}

const agentColumns: readonly Column<Agent>[] = [
  { head: 'AGENT', cell: ({ orgId, id }) => `${orgId}/${id}` },
  { head: 'NAME', cell: ({ name }) => name },
  { head: 'CHANGED', cell: ({ updatedAt }) => formatMinute(updatedAt) },
  { head: 'DESCRIPTION', cell: ({ description }) => description ?? '' },
]

async function listAgents(session: Session): Promise<void> {
  const all = await fetchAll<Agent>(session, `${await orgPath(session)}/agents`)
  printResult(session, all, () => formatTable(agentColumns, all, session.terminal.paint))
}

async function showAgent(session: Session, agentName: string): Promise<void> {
  const path = await agentPath(session, agentName)
  const agent = await session.api.get<Agent>(path)
  const { data: channels } = await session.api.get<{ data: Binding[] }>(`${path}/channels`)
  printResult(session, { ...agent, channels }, () => agentLines(agent, channels, session.terminal.paint))
}

/** The agent's fields, one for each line, and its channels. */
function agentLines(
  { id, orgId, name, description, identity = {}, createdAt, updatedAt }: Agent,
  channels: readonly Binding[],
  paint: Paint,
): string[] {
  const facts = Object.entries({
    agent: `${orgId}/${id}`,
    name,
    description,
    created: formatMinute(createdAt),
    changed: formatMinute(updatedAt),
    ...identity,
  }).filter(([, value]) => value !== undefined && value !== null && value !== '')
  const width = Math.max(...facts.map(([label]) => label.length)) + 2
  const textOf = (value: unknown) => sanitizeLine(typeof value === 'string' ? value : JSON.stringify(value))
  return [
    ...facts.map(([label, value]) => `${paint(label.padEnd(width), 'head')}${textOf(value)}`),
    '',
    ...(channels.length === 0 ? ['It has no channels.'] : formatTable(bindingColumns, channels, paint)),
  ]
}

const bindingColumns: readonly Column<Binding>[] = [
  { head: 'CHANNEL', cell: ({ channel }) => channel },
  { head: 'PROVIDER', cell: ({ provider }) => provider ?? '' },
  { head: 'STATUS', cell: ({ status }) => status },
  { head: 'BINDING', cell: ({ id }) => id },
]

async function exportAgent(session: Session, agentName: string, file: string): Promise<void> {
  const isJson = file === stdio ? session.json : file.endsWith('.json')
  const format = isJson ? 'json' : 'yaml'
  const path = `${await agentPath(session, agentName)}/export?format=${format}`
  const answer = await session.api.raw(path, { accept: isJson ? 'application/json' : yaml })
  const text = await answer.text()
  if (file === stdio) session.terminal.print([text.trimEnd()])
  else {
    withFile(file, () => writeFileSync(file, text.endsWith('\n') ? text : `${text}\n`))
    session.terminal.printNotice(`${agentName} is in ${file}.`)
  }
}

async function importAgent(session: Session, agentName: string, file: string): Promise<void> {
  const text = withFile(file, () => readFileSync(file === stdio ? 0 : file, 'utf8'))
  const type = /^\s*\{/.test(text) ? 'application/json' : yaml
  const path = `${await agentPath(session, agentName)}/import`
  const answer = await session.api.raw(path, { accept: 'application/json', body: { type, text } })
  const imported = (await answer.json()) as object
  printResult(session, imported, () => [`${agentName} is now as ${file === stdio ? 'what was piped' : file} says.`])
}

function withFile<T>(file: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw usageError(`The file ${file} cannot be used: ${(error as Error).message}.`)
  }
}
