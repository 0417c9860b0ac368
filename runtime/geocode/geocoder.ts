/** Geocoder client: looks up addresses at a Nominatim-compatible server, with bounded concurrency and time. */
import { LRUCache } from 'lru-cache'
import { isOnEarth } from '../../core/agent/knowledge/locations.js'
import type { Geocoded } from '../../core/agent/knowledge/things.js'
import { agentLimits, geocoder as defaults } from '../../core/limits/index.js'
import { type GetResponse, openGetter } from '../egress/get.js'
import { readJson } from '../http/json.js'

export interface Geocoder {
  /**
   * Returns the addresses that were looked up with their results; an address that could not be looked up is missing.
   * Never throws.
   */
  geocode(addresses: readonly string[]): Promise<[address: string, found: Geocoded][]>
  close(): Promise<void>
}

export interface GeocoderOptions {
  readonly url: string
  readonly clock: { now(): number }
  /** Sent in the user agent, so that the operator of the geocoder can identify the caller. */
  readonly publicUrl: () => string
  readonly limits?: Partial<{ readonly [K in keyof typeof defaults]: number }>
}

interface CachedResult {
  readonly found: Geocoded
  readonly until: number
}

export function openGeocoder({ url, clock, publicUrl, limits: overrides }: GeocoderOptions): Geocoder {
  const limits = { ...defaults, ...overrides }
  // The operator configures the URL, which may be a local address; API callers cannot influence it.
  const getter = openGetter({ allowPrivate: true, limits: { ...limits, redirects: 0 } })
  const cache = new LRUCache<string, CachedResult>({ max: limits.cachedAddresses })

  function readCache(address: string): Geocoded | undefined {
    const cached = cache.get(address)
    return cached && cached.until > clock.now() ? cached.found : undefined
  }

  function writeCache(address: string, found: Geocoded): void {
    cache.set(address, { found, until: clock.now() + limits.cachedMs })
  }

  /** Undefined when the lookup failed. */
  async function lookUp(address: string, signal: AbortSignal): Promise<Geocoded | undefined> {
    const headers = { accept: 'application/json', 'user-agent': `Parley-Geocoder/1 (+${publicUrl()})` }
    const parse = (answer: GetResponse) => placeIn(answer, address, limits.answerBytes)
    const outcome = await getter.get({ url: searchFor(url, address), headers, signal }, parse)
    return outcome.ok ? outcome.value : undefined
  }

  return {
    async geocode(addresses) {
      const found = new Map<string, Geocoded>()
      const pending: string[] = []
      for (const address of new Set(addresses)) {
        const cached = readCache(address)
        if (cached) found.set(address, cached)
        else pending.push(address)
      }
      if (pending.length === 0) return [...found]
      const signal = AbortSignal.timeout(limits.wholeMs)
      let failures = 0
      async function work(): Promise<void> {
        while (!signal.aborted && failures < limits.failuresInRow) {
          const address = pending.shift()
          if (address === undefined) return
          const place = await lookUp(address, signal)
          failures = place ? 0 : failures + 1
          if (!place) continue
          found.set(address, place)
          writeCache(address, place)
        }
      }
      await Promise.all(Array.from({ length: limits.callsInFlight }, work))
      return [...found]
    },
    close: getter.close,
  }
}

function searchFor(url: string, address: string): string {
  const search = new URL(url)
  search.hash = ''
  for (const [name, value] of Object.entries({ q: address, format: 'jsonv2', limit: '1' })) {
    search.searchParams.set(name, value)
  }
  return search.href
}

/** An empty list is a result; an answer that is not a list of places is none. */
async function placeIn({ status, body }: GetResponse, query: string, maxBytes: number): Promise<Geocoded | undefined> {
  if (status !== 200) return undefined
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of body) {
    bytes += part.length
    if (bytes > maxBytes) return undefined
    parts.push(part)
  }
  const read = readJson(Buffer.concat(parts))
  const places = 'problem' in read ? undefined : read.value
  if (!Array.isArray(places)) return undefined
  return places.length === 0 ? 'notFound' : placeOf(places[0], query)
}

function placeOf(place: unknown, query: string): Geocoded | undefined {
  const { lat, lon, display_name: name } = (place ?? {}) as Record<string, unknown>
  const [latitude, longitude] = [coordinate(lat), coordinate(lon)]
  if (latitude === undefined || longitude === undefined || !isOnEarth({ latitude, longitude })) return undefined
  const isWritten = typeof name === 'string' && name.trim() !== '' && !name.includes('\0')
  const address = isWritten ? [...name.trim()].slice(0, agentLimits.things.addressChars).join('') : query
  return { latitude, longitude, address }
}

/** Nominatim writes coordinates as text. */
function coordinate(value: unknown): number | undefined {
  if (typeof value === 'string' && !/^[+-]?\d{1,3}(\.\d{1,20})?$/.test(value)) return undefined
  const number = typeof value === 'string' || typeof value === 'number' ? Number(value) : Number.NaN
  return Number.isFinite(number) ? number : undefined
}
