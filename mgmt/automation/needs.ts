/** What automation needs of its surroundings; whoever puts a node together gives it. */

import type { AgentDocument, Section } from '../../core/agent/index.js'
import type { AgentPlace } from '../../core/agentkey.js'
import type { LogNote } from '../../core/catalogs/logevents.js'
import type { Refusal } from '../../core/errors.js'
import type { OpeningFor, OpeningResult, Standing } from '../../core/outreach/contact.js'
import type { Hours } from '../../core/outreach/hours.js'
import type { Postponed } from '../../core/outreach/judge.js'
import type { SendRequest } from '../../core/outreach/request.js'
import type { Sending } from '../../core/outreach/settings.js'
import type { Appointment } from '../../core/people/appointment.js'
import type { Person } from '../../core/people/person.js'
import type { Told, Tx } from '../../runtime/shard/contract.js'
import type { Reader } from '../../runtime/store/contract.js'

/** The sections of an agent's document that rules and reminders are judged and written by. */
export const sectionsOfAutomation = [
  'outreach',
  'peopleFields',
  'scheduling',
  'identity',
] as const satisfies readonly Section[]

/** The agent, in its shard; undefined for one that is not there. */
export interface AgentDoor {
  serialOf(reader: Reader, place: AgentPlace): number | undefined
  read(
    reader: Reader,
    place: AgentPlace,
  ):
    | { readonly document: AgentDocument; readonly agent: { readonly name: string; readonly serial: number } }
    | undefined
}

/** People, in the agent's shard. */
export interface PeopleDoor {
  /** Somebody who was merged away is found as who took over. */
  byId(reader: Reader, place: AgentPlace, personId: string): Person | undefined
  keepAppointment(tx: Tx, place: AgentPlace, personId: string, appointment: Appointment): void
}

export interface AskedSend extends AgentPlace {
  readonly request: SendRequest
  readonly origin: 'automated'
  readonly automatedOutreachId: string
  readonly sendWindow?: Hours
  readonly ignoresSafeHours?: boolean
  readonly standing?: Standing & { readonly asid: string }
}

/** Sends, in the agent's shard. */
export interface SendDoor {
  /** Judges the send by the guardrails of its origin and takes it, all in this commit; what it refuses or postpones wrote nothing. */
  accept(
    tx: Tx,
    asked: AskedSend,
    told: Told,
  ): { readonly status: 'queued' | 'duplicate' | 'skipped'; readonly sendId?: string } | Postponed | Refusal
  sendingOf(reader: Reader, place: AgentPlace): Sending
}

/** Conversations, wherever their shards are. The same opening and attempt again changes nothing. */
export interface ConversationDoor {
  standing(asid: string): Promise<Standing | Refusal>
  open(opening: OpeningFor): Promise<OpeningResult | Refusal>
}

export interface Doors {
  readonly agents: AgentDoor
  readonly people: PeopleDoor
  readonly sends: SendDoor
  /** Writes a line of the agent's log in the same commit. */
  readonly log?: (tx: Tx, place: AgentPlace, line: LogNote, at: number) => void
  readonly timeScale: number
}
