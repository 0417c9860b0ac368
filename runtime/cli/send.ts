/** `parley send` and `parley sends`: opens a conversation with one person, lists and cancels such sends. */
import type { Command } from 'commander'
import { commandLine as limits } from '../../core/limits/index.js'
import { type Cell, type Column, formatTable } from './columns.js'
import { usageError } from './failure.js'
import { previewOpener } from './openerpreview.js'
import { parsePair, parseWholeNumber, printResult, sanitizeLine, withQuery } from './output.js'
import { agentArgument, agentPath, encodeId } from './paths.js'
import type { Session } from './program.js'
import type { Tone } from './terminal.js'

interface SendOptions {
  readonly to?: string
  readonly person?: string
  readonly persona?: string
  readonly input?: Record<string, string>
  readonly profile?: Record<string, string>
  readonly key?: string
  readonly dryRun?: true
}

interface Created {
  readonly status: 'queued' | 'duplicate' | 'skipped'
  readonly sendId?: string
  readonly personId?: string
  readonly outreachId: string
  readonly unknownInputs: readonly string[]
  readonly warning?: string
}

/** The printed fields of a send. */
export interface Send {
  readonly sendId: string
  readonly outreachId: string
  readonly origin: string
  readonly personId?: string
  readonly state: string
  readonly reason?: string
  readonly queuedAt?: string
  readonly attempts?: number
  readonly delivery?: { readonly delivered: boolean; readonly read: boolean; readonly failed: boolean }
}

export function send(program: Command, getSession: () => Session): void {
  program
    .command('send')
    .description('open a conversation with one person')
    .argument(...agentArgument)
    .argument('<outreach>', 'id of the outreach')
    .option('--to <phone>', 'phone number in international format, on rcs')
    .option('--person <id>', 'a person the agent knows')
    .option('--persona <id>', 'a persona of the sandbox: no real person gets a message')
    .option('--input <name=value>', 'an input of the opener; once for each', parsePair)
    .option('--profile <name=value>', 'firstName, lastName, fullName, email or phone of the person', parsePair)
    .option('--key <text>', 'idempotency key; without one, an outreach reaches a person once a day')
    .option('--dry-run', 'decide everything and write nothing')
    .addHelpText('after', '\nExample: parley send demo/harbor-desk welcome --to +14155550100 --input city=Bergen')
    .action((agent: string, outreach: string, options: SendOptions) => sendOne(getSession(), agent, outreach, options))
  const sends = program
    .command('sends')
    .description('list the newest sends of an agent')
    .argument(...agentArgument)
    .option('--state <state>', 'queued, sending, sent, failed, suppressed or cancelled')
    .option('--outreach <id>', 'only of that outreach')
    .option('--limit <number>', 'how many', parseWholeNumber, limits.sendRows)
    .action((agent: string, options: { state?: string; outreach?: string; limit: number }) =>
      listSends(getSession(), agent, options),
    )
  sends
    .command('cancel')
    .description('cancel a send that still waits')
    .argument(...agentArgument)
    .argument('<send>', 'id of the send')
    .action((agent: string, id: string) => cancelSend(getSession(), agent, id))
}

async function sendOne(session: Session, agent: string, outreach: string, options: SendOptions): Promise<void> {
  const agentUrl = await agentPath(session, agent)
  const created = await session.api.post<Created>(`${agentUrl}/outreach/${encodeId(outreach)}/sends`, {
    recipient: recipientOf(options),
    ...(options.input && { inputs: options.input }),
    ...(options.profile && { profile: options.profile }),
    ...(options.key !== undefined && { idempotencyKey: options.key }),
    ...(options.dryRun && { dryRun: true }),
  })
  const { input, profile } = options
  const preview = options.dryRun && (await previewOpener(session, agentUrl, { ...created, input, profile }))
  printResult(session, { ...created, ...preview }, () => [
    ...formatTable(createdColumns, [created], session.terminal.paint),
    ...(preview && 'text' in preview ? ['', ...preview.text.split('\n').map(sanitizeLine)] : []),
  ])
  if (preview && 'blocked' in preview) session.terminal.printNotice(`The opening is blocked. ${preview.blocked}`)
  if (created.warning) session.terminal.printNotice(`Warning: ${created.warning}`)
  if (created.unknownInputs.length > 0) {
    session.terminal.printNotice(
      `The agent does not know these inputs as fields of people: ${created.unknownInputs.join(', ')}.`,
    )
  }
}

function recipientOf({ to, person, persona }: SendOptions): object {
  const recipients = [
    to !== undefined && { channel: 'rcs', address: to },
    person !== undefined && { personId: person },
    persona !== undefined && { personaId: persona },
  ].filter((each) => each !== false)
  if (recipients.length !== 1)
    throw usageError('A send goes to one person. Name them with --to, --person or --persona.')
  return recipients[0]!
}

const createdColumns: readonly Column<Created>[] = [
  { head: 'STATUS', cell: ({ status }) => (status === 'skipped' ? 'dry run' : status) },
  { head: 'OUTREACH', cell: ({ outreachId }) => outreachId },
  { head: 'SEND', cell: ({ sendId }) => sendId ?? '' },
  { head: 'PERSON', cell: ({ personId }) => personId ?? '' },
]

const stateTones: Readonly<Record<string, Tone>> = { failed: 'alarm', suppressed: 'warning', cancelled: 'quiet' }

export const sendColumns: readonly Column<Send>[] = [
  { head: 'SEND', cell: ({ sendId }) => sendId },
  { head: 'OUTREACH', cell: ({ outreachId }) => outreachId },
  { head: 'ORIGIN', cell: ({ origin }) => origin },
  { head: 'PERSON', cell: ({ personId }) => personId ?? '' },
  { head: 'STATE', cell: ({ state }): Cell => ({ text: state, tone: stateTones[state] }) },
  { head: 'DELIVERY', cell: deliveryOf },
  { head: 'REASON', cell: ({ reason }) => reason ?? '' },
  { head: 'QUEUED', cell: ({ queuedAt = '' }) => queuedAt.slice(0, 19).replace('T', ' ') },
]

function deliveryOf({ delivery }: Send): Cell {
  if (delivery?.failed) return { text: 'failed', tone: 'alarm' }
  return { text: delivery?.read ? 'read' : delivery?.delivered ? 'delivered' : '' }
}

async function listSends(
  session: Session,
  agent: string,
  { state, outreach, limit }: { state?: string; outreach?: string; limit: number },
): Promise<void> {
  const path = `${await agentPath(session, agent)}/outreach/sends`
  const { data } = await session.api.get<{ data: Send[] }>(withQuery(path, { state, outreachId: outreach, limit }))
  printResult(session, data, () => formatTable(sendColumns, data, session.terminal.paint))
}

async function cancelSend(session: Session, agent: string, id: string): Promise<void> {
  const path = `${await agentPath(session, agent)}/outreach/sends/${encodeId(id)}/cancel`
  const cancelled = await session.api.post<Send>(path)
  printResult(session, cancelled, () => formatTable(sendColumns, [cancelled], session.terminal.paint))
}
