/** Dependencies of scheduling, and what its commands and queries are given. */
import type { Section } from '../../core/agent/index.js'
import type { AgentRef } from '../../core/agentref.js'
import type { ChannelName } from '../../core/channelnames.js'
import type { AgentDocuments } from '../agents/documentoperations.js'
import type { EffectDeps } from '../area.js'
import type { Automation } from '../automation/index.js'
import type { AgentLog } from '../outreach/transitions.js'
import type { People } from '../people/index.js'
import type { Calendar, SendMail } from './ports.js'

/** The sections of an agent's document that bookings read. */
export const schedulingSections = ['scheduling', 'toolBindings'] as const satisfies readonly Section[]

export interface SchedulingDeps {
  readonly documents: Pick<AgentDocuments, 'load'>
  readonly people: Pick<People, 'byId' | 'byAsid' | 'byNumber' | 'appointment' | 'appointmentsOf' | 'note' | 'commands'>
  readonly automation: Pick<Automation, 'saveAppointment'>
  /** Absent: no mail is sent. */
  readonly connectMail?: (engine: EffectDeps) => SendMail
  /** Absent: no calendar is read or written. */
  readonly connectCalendar?: (engine: EffectDeps) => Calendar
  readonly log?: AgentLog
  readonly clock: { now(): number; setTimer(at: number, call: () => void): () => void }
  readonly timeScale: number
}

/** Whose appointments a tool is about, and its arguments. */
export interface SchedulingInput extends AgentRef {
  readonly asid: string
  readonly channel: ChannelName
  /** On that channel: a person who is not known yet is created with it. */
  readonly address: string
  readonly sandbox?: true
  /** The zone in which the person reads times. */
  readonly zone: string
  /** Governs the agent's hours while its scheduling names no zone; absent: UTC. */
  readonly orgZone?: string
  readonly arguments: Readonly<Record<string, unknown>>
}

export interface SchedulingCall extends SchedulingInput {
  /** The same for each repeat of one call, whatever command it comes with; no other call has it. */
  readonly callId: string
}
