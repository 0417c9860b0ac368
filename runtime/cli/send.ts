/** `parley send` and `parley sends`: opening a conversation with one person, and what became of such sends. */
import type { Command } from 'commander'
import { commandLine as limits } from '../../core/limits.js'
import { type Cell, type Column, inColumns } from './columns.js'
import { wrongUsage } from './failure.js'
import { openingOf } from './opening.js'
import { oneLine, pair, show, wholeNumber, withQuery } from './output.js'
import { agentArgument, agentPath, idPart } from './place.js'
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

/** As far as it is printed. */
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

export function send(program: Command, open: () => Session): void {
  program
    .command('send')
    .description('open a conversation with one person')
    .argument(...agentArgument)
    .argument('<outreach>', 'id of the outreach')
    .option('--to <phone>', 'phone number in international format, on rcs')
    .option('--person <id>', 'a person the agent knows')
    .option('--persona <id>', 'a persona: a rehearsal that reaches nobody')
    .option('--input <name=value>', 'an input of the opener; once for each', pair)
    .option('--profile <name=value>', 'firstName, lastName, fullName, email or phone of the person', pair)
    .option('--key <text>', 'idempotency key; without one, an outreach reaches a person once a day')
    .option('--dry-run', 'decide everything and write nothing')
    .addHelpText('after', '\nExample: parley send demo/harbor-desk welcome --to +14155550100 --input city=Bergen')
    .action((agent: string, outreach: string, options: SendOptions) => sendOne(open(), agent, outreach, options))
  const sends = program
    .command('sends')
    .description('list the newest sends of an agent')
    .argument(...agentArgument)
    .option('--state <state>', 'queued, sending, sent, failed, suppressed or cancelled')
    .option('--outreach <id>', 'only of that outreach')
    .option('--limit <number>', 'how many', wholeNumber, limits.sendRows)
    .action((agent: string, options: { state?: string; outreach?: string; limit: number }) =>
      listSends(open(), agent, options),
    )
  sends
    .command('cancel')
    .description('cancel a send that still waits')
    .argument(...agentArgument)
    .argument('<send>', 'id of the send')
    .action((agent: string, id: string) => cancelSend(open(), agent, id))
}

async function sendOne(session: Session, agent: string, outreach: string, options: SendOptions): Promise<void> {
  const place = await agentPath(session, agent)
  const made = await session.api.post<Created>(`${place}/outreach/${idPart(outreach)}/sends`, {
    recipient: recipientOf(options),
    ...(options.input && { inputs: options.input }),
    ...(options.profile && { profile: options.profile }),
    ...(options.key !== undefined && { idempotencyKey: options.key }),
    ...(options.dryRun && { dryRun: true }),
  })
  const { input, profile } = options
  const opening = options.dryRun && (await openingOf(session, place, { ...made, input, profile }))
  show(session, { ...made, ...opening }, () => [
    ...inColumns(createdColumns, [made], session.terminal.paint),
    ...(opening && 'text' in opening ? ['', ...opening.text.split('\n').map(oneLine)] : []),
  ])
  if (opening && 'blocked' in opening) session.terminal.say(`The opening is blocked. ${opening.blocked}`)
  if (made.warning) session.terminal.say(`Warning: ${made.warning}`)
  if (made.unknownInputs.length > 0) {
    session.terminal.say(`The agent does not know these inputs as fields of people: ${made.unknownInputs.join(', ')}.`)
  }
}

function recipientOf({ to, person, persona }: SendOptions): object {
  const given = [
    to !== undefined && { channel: 'rcs', address: to },
    person !== undefined && { personId: person },
    persona !== undefined && { personaId: persona },
  ].filter((each) => each !== false)
  if (given.length !== 1) throw wrongUsage('A send goes to one person. Name them with --to, --person or --persona.')
  return given[0]!
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
  show(session, data, () => inColumns(sendColumns, data, session.terminal.paint))
}

async function cancelSend(session: Session, agent: string, id: string): Promise<void> {
  const path = `${await agentPath(session, agent)}/outreach/sends/${idPart(id)}/cancel`
  const cancelled = await session.api.post<Send>(path)
  show(session, cancelled, () => inColumns(sendColumns, [cancelled], session.terminal.paint))
}
