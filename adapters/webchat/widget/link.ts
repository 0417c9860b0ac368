/** The line to the gateway: one socket, opened again after every break, sooner at first and later each time it fails. */
import { closeCodes } from '../../../core/channel/live.js'
import type { ClientFrame, ServerFrame } from '../frames.js'
import type { Memory } from './memory.js'
import { admit } from './visitor.js'
import { waitMs } from './wait.js'

export type LinkState = 'idle' | 'connecting' | 'open' | 'offline' | 'elsewhere' | 'gone'

export interface LinkEnds {
  readonly chatUrl: string
  readonly memory: Memory
  /** Where the record goes on; undefined at the beginning. */
  cursor(): number | undefined
  told(frame: ServerFrame): void
  /** The visitor is not who they were. */
  becameNew(): void
  changed(state: LinkState): void
}

export interface Link {
  /** Connects, unless it is connected or never will be. */
  start(): void
  /** Connects at once where the next try would be later. */
  tryNow(): void
  /** Whether it went out; what does not go out is for the caller to keep. */
  send(frame: ClientFrame): boolean
  /** Something is amiss: the socket is given up for a new one. */
  again(): void
}

/** A node that stops lets go of all its pages at once; they come back over this long. */
const spreadMs = 1_000
/** Ways of closing after which nothing is tried again. */
const ends: Readonly<Record<number, LinkState>> = {
  [closeCodes.foreignSite]: 'elsewhere',
  [closeCodes.switchedOff]: 'gone',
}

export function openLink({ chatUrl, memory, cursor, told, becameNew, changed }: LinkEnds): Link {
  let state: LinkState = 'idle'
  let socket: WebSocket | undefined
  let failures = 0
  let ask = false
  let attempt = 0
  let isConnecting = false
  let next: ReturnType<typeof setTimeout> | undefined
  let watch: ReturnType<typeof setTimeout> | undefined

  const become = (to: LinkState) => {
    if (state === to) return
    state = to
    // biome-ignore lint/suspicious/noConsole: developers of the site look there.
    if (to === 'elsewhere') console.warn(refusedHint(chatUrl, location.origin))
    changed(to)
  }

  async function connect(): Promise<void> {
    clearTimeout(next)
    next = undefined
    if (socket || state === 'elsewhere' || state === 'gone' || isConnecting) return
    if (!navigator.onLine) return become('offline')
    // While it does not succeed, what is shown is that there is no line, not each try.
    if (failures === 0) become('connecting')
    isConnecting = true
    attempt += 1
    const mine = attempt
    const admission = await admit(chatUrl, memory, ask, Date.now())
    if (mine !== attempt) return
    isConnecting = false
    if (admission.kind === 'refused') return become(admission.why)
    if (admission.kind === 'later') return retry(Math.max(admission.afterMs, waitMs(failures++, Math.random())))
    ask = false
    if (admission.isNew) becameNew()
    listen(new WebSocket(addressOf(chatUrl, admission.visitor.token, cursor())))
  }

  function listen(opened: WebSocket): void {
    socket = opened
    let hasOpened = false
    let silentMs = 60_000
    const alive = () => {
      clearTimeout(watch)
      watch = setTimeout(again, silentMs)
    }
    alive()
    opened.onopen = () => {
      hasOpened = true
    }
    opened.onmessage = ({ data }) => {
      const frame = JSON.parse(String(data)) as ServerFrame
      if (frame.type === 'welcome') {
        silentMs = frame.pingEveryMs * 2
        become('open')
      }
      if (frame.type === 'caughtUp') failures = 0
      alive()
      told(frame)
    }
    opened.onclose = ({ code }) => {
      letGo()
      const end = ends[code]
      if (end) return become(end)
      // A socket that did not even open tells a page nothing; asking for the token again does.
      ask = code === closeCodes.badToken || !hasOpened
      const isExpected = code === closeCodes.goingAway || code === closeCodes.behind
      retry(isExpected ? Math.random() * spreadMs : waitMs(failures++, Math.random()))
    }
  }

  function letGo(): void {
    clearTimeout(watch)
    if (!socket) return
    socket.onmessage = null
    socket.onclose = null
    socket.close()
    socket = undefined
  }

  function retry(afterMs: number): void {
    become('offline')
    clearTimeout(next)
    next = setTimeout(connect, afterMs)
  }

  function again(): void {
    letGo()
    retry(waitMs(failures++, Math.random()))
  }

  function tryNow(): void {
    if (state === 'offline') connect()
  }

  addEventListener('online', tryNow)
  addEventListener('offline', () => {
    if (state === 'idle') return
    attempt += 1
    isConnecting = false
    letGo()
    clearTimeout(next)
    if (state === 'open' || state === 'connecting') become('offline')
  })
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) tryNow()
  })
  // A page with an open socket is not kept for the way back.
  addEventListener('pagehide', () => {
    if (state !== 'open') return
    letGo()
    become('offline')
  })
  addEventListener('pageshow', tryNow)

  return {
    start: () => void (state === 'idle' && connect()),
    tryNow,
    send(frame) {
      if (state !== 'open' || socket?.readyState !== WebSocket.OPEN) return false
      socket.send(JSON.stringify(frame))
      return true
    },
    again: () => void (socket && again()),
  }
}

/** For the developer of a site: visitors see a sentence without it. */
function refusedHint(chatUrl: string, site: string): string {
  return `Parley: the chat ${chatUrl} refuses this site. Add "${site}" to inputs.origins of the agent's webchat channel to allow it.`
}

function addressOf(chatUrl: string, token: string, cursor: number | undefined): string {
  const url = new URL(chatUrl.replace(/^http/, 'ws'))
  url.searchParams.set('token', token)
  if (cursor !== undefined) url.searchParams.set('after', String(cursor))
  return url.href
}
