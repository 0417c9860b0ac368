/** Sample results of tools, for a dry run: each has the shape of a real one. */
import { day, hour } from '../durations.js'
import type { AppointmentResult, Availability } from '../scheduling/contract.js'
import type { ToolCall, ToolOutcome } from '../tools/contract.js'

/** The moment at which dry runs take place: a Monday morning. */
export const sampleNow = Date.UTC(2030, 4, 13, 9)

export function sampleOutcome({ name, arguments: values }: ToolCall): ToolOutcome {
  return { state: 'captured', result: sampleResult(name, values) }
}

function sampleResult(name: string, values: ToolCall['arguments']): unknown {
  switch (name) {
    case 'scheduling.availability':
      return availability
    case 'scheduling.book':
    case 'scheduling.reschedule':
    case 'scheduling.cancel':
      return appointment
    case 'people.save':
      return values
    case 'knowledge.search':
      return { facts: [], things: [], passages: [] }
    case 'notify.team':
      return {}
    default:
      return {
        options: [
          { id: 'first', label: 'First option' },
          { id: 'second', label: 'Second option' },
        ],
      }
  }
}

const durationMinutes = 30

const slotAt = (startUtc: number) => {
  const start = new Date(startUtc).toISOString().replace('.000Z', '+00:00')
  return { id: `time-${startUtc}`, startUtc, start, durationMinutes }
}

const availability: Availability = {
  zone: 'UTC',
  slots: [slotAt(sampleNow + day), slotAt(sampleNow + day + hour), slotAt(sampleNow + 2 * day)],
}

const appointment: AppointmentResult = {
  appointmentId: 'sample',
  start: availability.slots[0]!.start,
  startUtc: availability.slots[0]!.startUtc,
  zone: 'UTC',
  durationMinutes,
}
