/** `parley agents`: the agents of an org, and one of them as a document to keep or to carry elsewhere. */
import { readFileSync, writeFileSync } from 'node:fs'
import type { Command } from 'commander'
import { type Column, inColumns } from './columns.js'
import { wrongUsage } from './failure.js'
import { oneLine, show, wholeList } from './output.js'
import { agentArgument, agentPath, orgPath } from './place.js'
import type { Session } from './program.js'
import type { Paint } from './terminal.js'

/** As far as it is printed. */
interface Agent {
  readonly id: string
  readonly orgId: string
  readonly name: string
  readonly description?: string
  readonly identity?: Readonly<Record<string, unknown>>
  readonly createdAt: string
  readonly updatedAt: string
}

/** As far as it is printed. */
interface Binding {
  readonly id: string
  readonly channel: string
  readonly provider?: string
  readonly status: string
}

const yaml = 'application/yaml'
/** In place of a file: what the shell pipes. */
const piped = '-'

export function agents(program: Command, open: () => Session): void {
  const verb = program
    .command('agents')
    .description('list the agents of the org')
    .action(() => listAgents(open()))
  verb
    .command('show')
    .description('print one agent and its channels')
    .argument(...agentArgument)
    .action((agent: string) => showAgent(open(), agent))
  verb
    .command('export')
    .description('write the whole configuration of an agent as YAML, or as JSON where the file is named so')
    .argument(...agentArgument)
    .argument('[file]', 'where to; - is stdout', piped)
    .addHelpText('after', '\nExample: parley agents export harbor-desk desk.yaml')
    .action((agent: string, file: string) => exportAgent(open(), agent, file))
  verb
    .command('import')
    .description('replace what the document holds in an agent, all of it or nothing')
    .argument(...agentArgument)
    .argument('<file>', 'YAML or JSON as `export` writes it; - is stdin')
    .addHelpText('after', '\nExample: parley agents export demo/desk | parley agents import demo/desk-two -')
    .action((agent: string, file: string) => importAgent(open(), agent, file))
}

const agentColumns: readonly Column<Agent>[] = [
  { head: 'AGENT', cell: ({ orgId, id }) => `${orgId}/${id}` },
  { head: 'NAME', cell: ({ name }) => name },
  { head: 'CHANGED', cell: ({ updatedAt }) => minuteOf(updatedAt) },
  { head: 'DESCRIPTION', cell: ({ description }) => description ?? '' },
]

async function listAgents(session: Session): Promise<void> {
  const all = await wholeList<Agent>(session, `${await orgPath(session)}/agents`)
  show(session, all, () => inColumns(agentColumns, all, session.terminal.paint))
}

async function showAgent(session: Session, named: string): Promise<void> {
  const path = await agentPath(session, named)
  const agent = await session.api.get<Agent>(path)
  const { data: channels } = await session.api.get<{ data: Binding[] }>(`${path}/channels`)
  show(session, { ...agent, channels }, () => agentLines(agent, channels, session.terminal.paint))
}

/** What the agent says of itself, a line each, and its channels. */
function agentLines(
  { id, orgId, name, description, identity = {}, createdAt, updatedAt }: Agent,
  channels: readonly Binding[],
  paint: Paint,
): string[] {
  const facts = Object.entries({
    agent: `${orgId}/${id}`,
    name,
    description,
    created: minuteOf(createdAt),
    changed: minuteOf(updatedAt),
    ...identity,
  }).filter(([, value]) => value !== undefined && value !== null && value !== '')
  const width = Math.max(...facts.map(([label]) => label.length)) + 2
  const textOf = (value: unknown) => oneLine(typeof value === 'string' ? value : JSON.stringify(value))
  return [
    ...facts.map(([label, value]) => `${paint(label.padEnd(width), 'head')}${textOf(value)}`),
    '',
    ...(channels.length === 0 ? ['It has no channels.'] : inColumns(bindingColumns, channels, paint)),
  ]
}

const bindingColumns: readonly Column<Binding>[] = [
  { head: 'CHANNEL', cell: ({ channel }) => channel },
  { head: 'PROVIDER', cell: ({ provider }) => provider ?? '' },
  { head: 'STATUS', cell: ({ status }) => status },
  { head: 'BINDING', cell: ({ id }) => id },
]

function minuteOf(moment: string): string {
  return moment.slice(0, 16).replace('T', ' ')
}

async function exportAgent(session: Session, named: string, file: string): Promise<void> {
  const isJson = file === piped ? session.json : file.endsWith('.json')
  const format = isJson ? 'json' : 'yaml'
  const path = `${await agentPath(session, named)}/export?format=${format}`
  const answer = await session.api.raw(path, { accept: isJson ? 'application/json' : yaml })
  const text = await answer.text()
  if (file === piped) session.terminal.print([text.trimEnd()])
  else {
    atFile(file, () => writeFileSync(file, text.endsWith('\n') ? text : `${text}\n`))
    session.terminal.say(`${named} is in ${file}.`)
  }
}

async function importAgent(session: Session, named: string, file: string): Promise<void> {
  const text = atFile(file, () => readFileSync(file === piped ? 0 : file, 'utf8'))
  const type = /^\s*\{/.test(text) ? 'application/json' : yaml
  const path = `${await agentPath(session, named)}/import`
  const answer = await session.api.raw(path, { accept: 'application/json', body: { type, text } })
  const imported = (await answer.json()) as object
  show(session, imported, () => [`${named} is now as ${file === piped ? 'what was piped' : file} says.`])
}

function atFile<T>(file: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw wrongUsage(`The file ${file} cannot be used: ${(error as Error).message}.`)
  }
}
