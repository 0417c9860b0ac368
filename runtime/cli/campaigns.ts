/** `parley campaign`: creates, stages, starts, pauses, resumes, cancels and watches campaigns. */
import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { commandLine as limits } from '../../core/limits/index.js'
import { type Campaign, campaignColumns, type Report, reportLines, type Staged, stagedLines } from './campaignlines.js'
import { watchCampaign } from './campaignwatch.js'
import { formatTable } from './columns.js'
import { usageError } from './failure.js'
import { fetchAll, printResult } from './output.js'
import { agentArgument, agentPath, encodeId } from './paths.js'
import type { Session } from './program.js'

interface CreateOptions {
  readonly name: string
  readonly outreach: string
  readonly segment?: string
  readonly importBatch?: string
  readonly people?: string
  readonly personas?: readonly string[]
  readonly previouslyContacted?: boolean
}

const idArgument = ['<campaign>', 'id of the campaign, cm_…'] as const

/** Actions on a campaign; each has a route of its own name. */
const actions = {
  start: 'start a campaign that is staged',
  pause: 'hold a running campaign: nothing more is sent until it is resumed',
  resume: 'go on with a paused campaign exactly where it stopped',
  cancel: 'end a campaign; what is not sent yet stays unsent',
} as const

export function campaigns(program: Command, getSession: () => Session): void {
  const command = program.command('campaign').description('list, make, run and watch the campaigns of an agent')
  command
    .command('list')
    .description('list the campaigns of an agent, newest first')
    .argument(...agentArgument)
    .action((agent: string) => listCampaigns(getSession(), agent))
  command
    .command('create')
    .description('make a campaign, as a draft')
    .argument(...agentArgument)
    .requiredOption('--name <text>', 'what people know it by')
    .requiredOption('--outreach <id>', 'what is sent')
    .option('--segment <id>', 'to whom: a segment')
    .option('--import-batch <id>', 'to whom: the people of an import')
    .option('--people <file>', 'to whom: ids of people, one a line; - is stdin')
    .option('--personas <ids...>', 'send to personas, as a test')
    .option('--previously-contacted', 'send also to people who got this outreach before')
    .option('--no-previously-contacted', 'leave them out; by default the class of the outreach decides')
    .addHelpText('after', '\nExample: parley campaign create harbor-desk --name May --outreach welcome --segment vips')
    .action((agent: string, options: CreateOptions) => createCampaign(getSession(), agent, options))
  command
    .command('stage')
    .description('take the audience down and judge everybody in it: who will be sent to, and who not and why')
    .argument(...agentArgument)
    .argument(...idArgument)
    .action((agent: string, id: string) => stageCampaign(getSession(), agent, id))
  for (const [action, description] of Object.entries(actions)) {
    command
      .command(action)
      .description(description)
      .argument(...agentArgument)
      .argument(...idArgument)
      .action((agent: string, id: string) => actOnCampaign(getSession(), agent, id, action))
  }
  command
    .command('watch')
    .description('show how far a campaign is, how fast it goes and what is left, until it has ended')
    .argument(...agentArgument)
    .argument(...idArgument)
    .addHelpText('after', '\nEnds with 0 when the campaign was completed, and with 1 when it was cancelled or failed.')
    .action(async (agent: string, id: string) => {
      const session = getSession()
      await watchCampaign(session, await pathOf(session, agent, id))
    })
  command
    .command('report')
    .description('print what became of everybody in the audience')
    .argument(...agentArgument)
    .argument(...idArgument)
    .action((agent: string, id: string) => reportCampaign(getSession(), agent, id))
}

async function pathOf(session: Session, agent: string, id: string): Promise<string> {
  return `${await agentPath(session, agent)}/campaigns/${encodeId(id)}`
}

async function listCampaigns(session: Session, agent: string): Promise<void> {
  const all = await fetchAll<Campaign>(session, `${await agentPath(session, agent)}/campaigns`)
  printResult(session, all, () => formatTable(campaignColumns, all, session.terminal.paint))
}

function printOne(session: Session, campaign: Campaign): void {
  printResult(session, campaign, () => formatTable(campaignColumns, [campaign], session.terminal.paint))
}

async function createCampaign(session: Session, agent: string, options: CreateOptions): Promise<void> {
  const { name, outreach: outreachId, previouslyContacted: includePreviouslyContacted } = options
  const body = { name, outreachId, audience: audienceOf(options), includePreviouslyContacted }
  printOne(session, await session.api.post<Campaign>(`${await agentPath(session, agent)}/campaigns`, body))
}

function audienceOf({ segment, importBatch, people, personas }: CreateOptions): object {
  const audiences = [
    segment !== undefined && { segmentId: segment },
    importBatch !== undefined && { importBatchId: importBatch },
    people !== undefined && { personIds: idsIn(people) },
    personas !== undefined && { personaIds: personas },
  ].filter((each) => each !== false)
  if (audiences.length !== 1) {
    throw usageError('A campaign has one audience. Name it with --segment, --import-batch, --people or --personas.')
  }
  return audiences[0]!
}

function idsIn(file: string): string[] {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8')
      .split(/\s+/)
      .filter(Boolean)
  } catch (error) {
    throw usageError(`The file ${file} cannot be read: ${(error as Error).message}.`)
  }
}

async function stageCampaign(session: Session, agent: string, id: string): Promise<void> {
  const path = `${await pathOf(session, agent, id)}/stage`
  const staged = await session.api.post<Staged>(path, undefined, limits.stageMs)
  printResult(session, staged, () => stagedLines(staged, session.terminal.paint))
}

async function actOnCampaign(session: Session, agent: string, id: string, action: string): Promise<void> {
  printOne(session, await session.api.post<Campaign>(`${await pathOf(session, agent, id)}/${action}`))
}

async function reportCampaign(session: Session, agent: string, id: string): Promise<void> {
  const report = await session.api.get<Report>(`${await pathOf(session, agent, id)}/report`)
  printResult(session, report, () => reportLines(report, session.terminal.paint))
}
