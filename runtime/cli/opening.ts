/** The text that a dry run of a send would open with, from the template of its outreach and the person's fields. */
import { type AgentDocument, emptyDocument, readerOf } from '../../core/agent/index.js'
import { withInputValues } from '../../core/outreach/opener.js'
import { openingTextRead } from '../../core/outreach/openingtext.js'
import { Failure } from './failure.js'
import { wholeList } from './output.js'
import { idPart } from './place.js'
import type { Session } from './program.js'

interface Known {
  readonly customFields?: Readonly<Record<string, string>>
  readonly [field: string]: unknown
}

/** A send that was decided and not written: its outreach, its person, and what the command line says of them. */
export interface DryRun {
  readonly outreachId: string
  readonly personId?: string
  readonly input?: Readonly<Record<string, string>>
  readonly profile?: Readonly<Record<string, string>>
}

/** What the send would open with, or why it would not be sent. */
export type Opening = { readonly text: string } | { readonly blocked: string }

/** Undefined where the key may not read what it takes: that is said, and the dry run stands. */
export async function openingOf(
  session: Session,
  place: string,
  { outreachId, personId, input, profile }: DryRun,
): Promise<Opening | undefined> {
  const { api, terminal } = session
  try {
    const { openerTemplateId } = await api.get<{ openerTemplateId: string }>(`${place}/outreach/${idPart(outreachId)}`)
    const document = await shownDocument(session, place)
    const { identity, ...agent } = await api.get<{ identity?: object }>(place)
    const person = personId === undefined ? {} : await api.get<Known>(`${place}/people/${idPart(personId)}`)
    const read = readerOf(withInputValues({ ...profile, ...person } as Known, input), { ...agent, ...identity })
    const { renderedText, problem } = openingTextRead(document, openerTemplateId, read)
    return problem === undefined ? { text: renderedText ?? '' } : { blocked: problem }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    terminal.say(`The text is not shown. ${error.message}`)
    return undefined
  }
}

/** As much of the agent as an opening is made of. */
async function shownDocument(session: Session, place: string): Promise<AgentDocument> {
  const listed = <S extends keyof AgentDocument>(path: string) =>
    wholeList(session, `${place}/${path}`) as unknown as Promise<AgentDocument[S]>
  return {
    ...emptyDocument,
    messageTemplates: await listed<'messageTemplates'>('message-templates'),
    things: await listed<'things'>('knowledge/things'),
    collections: await listed<'collections'>('knowledge/collections'),
    media: await listed<'media'>('media'),
  }
}
