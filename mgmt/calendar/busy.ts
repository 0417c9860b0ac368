/** Busy times of a calendar: read once for all that ask within some seconds, and again after a write of ours. */
import { LRUCache } from 'lru-cache'
import { type AgentRef, formatAgentKey } from '../../core/agentref.js'
import type { BusyRequest, BusyTimes } from '../../core/calendar/busytimes.js'
import { reportBody, zoneRequestBody } from '../../core/calendar/webdav.js'
import { day, minute } from '../../core/durations.js'
import { calendar as limits } from '../../core/limits/index.js'
import type { Clock } from '../../runtime/clock.js'
import { withTimeout } from '../../runtime/time.js'
import { type Answer, type Exchange, type Failure, failure } from './exchange.js'
import type { CalendarSettings } from './settings.js'

/** Undefined for an answer that cannot be read. Never holds the event loop, whatever the answer is. */
export type ReadBusyTimes = (owner: string, request: BusyRequest) => Promise<BusyTimes | undefined>

export interface BusyDeps {
  readonly readBusyTimes: ReadBusyTimes
  readonly clock: Clock
}

interface Cached<T> {
  readonly at: number
  readonly value: T
}

export type BusyOutcome = { readonly ok: true; readonly times: BusyTimes } | Failure

const tooLate = failure('The calendar did not answer in time.', { isTemporary: true })
const unreadable = failure('The answer of the calendar cannot be read.', { isTemporary: true })

export function createBusyCache({ readBusyTimes, clock }: BusyDeps) {
  /** By the calendar's address, then by sign-in and window: agents with one calendar see each other's writes. */
  const windows = new LRUCache<string, Cached<Promise<BusyOutcome>>>({ max: limits.cachedWindows })
  const zones = new LRUCache<string, Cached<string>>({ max: limits.cachedZones })

  function fresh<T>(cached: Cached<T> | undefined, ms: number): T | undefined {
    return cached && clock.monotonic() - cached.at < ms ? cached.value : undefined
  }

  /** Whole days, so that callers who ask a moment later share an answer; the window of the answer is that of days. */
  function read(
    exchange: Exchange,
    agent: AgentRef,
    settings: CalendarSettings,
    window: { readonly from: number; readonly to: number },
  ): Promise<BusyOutcome> {
    const [from, to] = [Math.floor(window.from / day) * day, Math.ceil(window.to / day) * day]
    const key = `${settings.url} ${settings.digest} ${from} ${to}`
    const cached = fresh(windows.get(key), limits.cachedMs)
    if (cached) return cached
    const value = withTimeout(clock, limits.busyMs, readNow(exchange, agent, settings, from, to), tooLate)
    windows.set(key, { at: clock.monotonic(), value })
    return value
  }

  async function readNow(
    exchange: Exchange,
    agent: AgentRef,
    settings: CalendarSettings,
    from: number,
    to: number,
  ): Promise<BusyOutcome> {
    const { bufferMinutes, digest } = settings
    const body = reportBody(from - bufferMinutes * minute, to + bufferMinutes * minute)
    const request = { method: 'REPORT' as const, headers: { ...xml, depth: '1' }, body }
    const report = await exchange(agent, settings, request, isMultistatus)
    if (!report.ok) return report
    const zone = fresh(zones.get(digest), limits.cachedZoneMs)
    const zoneAnswer = zone === undefined ? await readZone(exchange, agent, settings) : undefined
    const times = await readBusyTimes(formatAgentKey(agent), {
      ...{ xml: report.body, from, to, bufferMinutes, zone: zone ?? settings.zone },
      ...(zoneAnswer && { zoneXml: zoneAnswer.body }),
    })
    if (!times) return unreadable
    if (zoneAnswer) zones.set(digest, { at: clock.monotonic(), value: times.zone })
    return { ok: true, times }
  }

  /** Undefined while it is not known; no status of the answer is a fault of the calendar. */
  async function readZone(
    exchange: Exchange,
    agent: AgentRef,
    settings: CalendarSettings,
  ): Promise<Answer | undefined> {
    const request = { method: 'PROPFIND' as const, headers: { ...xml, depth: '0' }, body: zoneRequestBody }
    const answer = await exchange(agent, settings, request, (status) => status !== 401)
    return answer.ok ? answer : undefined
  }

  return {
    read,
    /** The caller must call this after each write, also one whose outcome is unknown. */
    invalidate({ url }: CalendarSettings): void {
      for (const key of windows.keys()) if (key.startsWith(`${url} `)) windows.delete(key)
    },
  }
}
export type BusyCache = ReturnType<typeof createBusyCache>

const xml = { 'content-type': 'application/xml; charset=utf-8' }
const isMultistatus = (status: number) => status === 207
