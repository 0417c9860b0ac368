/** Preview of the opener of a dry run, from the outreach's template and the person's fields. */
import { type AgentDocument, createSlotReader, emptyDocument } from '../../core/agent/index.js'
import { withInputValues } from '../../core/outreach/opener.js'
import { renderOpenerText } from '../../core/outreach/plaintext.js'
import { Failure } from './failure.js'
import { fetchAll } from './output.js'
import { encodeId } from './paths.js'
import type { Session } from './program.js'

interface PersonFields {
  readonly customFields?: Readonly<Record<string, string>>
  readonly [field: string]: unknown
}

/** The result of a dry run: its outreach, its person, and the fields from the command line. */
export interface DryRun {
  readonly outreachId: string
  readonly personId?: string
  readonly input?: Readonly<Record<string, string>>
  readonly profile?: Readonly<Record<string, string>>
}

/** The text of the opener, or why it would not be sent. */
export type OpenerPreview = { readonly text: string } | { readonly blocked: string }

/**
 * Undefined if the key lacks the permission to read the agent: a notice says so, and the dry run's result stays valid.
 */
export async function previewOpener(
  session: Session,
  agentUrl: string,
  { outreachId, personId, input, profile }: DryRun,
): Promise<OpenerPreview | undefined> {
  const { api, terminal } = session
  try {
    const { openerTemplateId } = await api.get<{ openerTemplateId: string }>(
      `${agentUrl}/outreach/${encodeId(outreachId)}`,
    )
    const document = await loadDocument(session, agentUrl)
    const { identity, ...agent } = await api.get<{ identity?: object }>(agentUrl)
    const person = personId === undefined ? {} : await api.get<PersonFields>(`${agentUrl}/people/${encodeId(personId)}`)
    const reader = createSlotReader(withInputValues({ ...profile, ...person } as PersonFields, input), {
      ...agent,
      ...identity,
    })
    const { renderedText, problem } = renderOpenerText(document, openerTemplateId, reader)
    return problem === undefined ? { text: renderedText ?? '' } : { blocked: problem }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    terminal.printNotice(`The text is not shown. ${error.message}`)
    return undefined
  }
}

/** The sections of the agent that openers need. */
async function loadDocument(session: Session, agentUrl: string): Promise<AgentDocument> {
  const fetchList = <S extends keyof AgentDocument>(path: string) =>
    fetchAll(session, `${agentUrl}/${path}`) as unknown as Promise<AgentDocument[S]>
  return {
    ...emptyDocument,
    messageTemplates: await fetchList<'messageTemplates'>('message-templates'),
    things: await fetchList<'things'>('knowledge/things'),
    collections: await fetchList<'collections'>('knowledge/collections'),
    media: await fetchList<'media'>('media'),
  }
}
