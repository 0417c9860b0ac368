/** The connection to the gateway: one socket, reopened after every break with growing delays. */
import { closeCodes } from '../../../core/channel/socketcodec.js'
import type { ClientFrame, ServerFrame } from '../frames.js'
import { reconnectDelayMs } from './backoff.js'
import type { ChatStorage } from './storage.js'
import { requestAdmission } from './visitor.js'

export type ConnectionState = 'idle' | 'connecting' | 'open' | 'offline' | 'elsewhere' | 'closed'

export interface ConnectionDeps {
  readonly chatUrl: string
  readonly storage: ChatStorage
  /** The cursor to resume from; undefined at the beginning. */
  cursor(): number | undefined
  onFrame(frame: ServerFrame): void
  /** The gateway has assigned another visitor id. */
  onNewVisitor(): void
  onStateChange(state: ConnectionState): void
}

export interface Connection {
  /** Connects, unless connected already or refused for good. */
  start(): void
  /** Connects now instead of at the next scheduled attempt. */
  reconnectNow(): void
  /** True when the frame was sent; the caller must retain a frame that was not. */
  send(frame: ClientFrame): boolean
  /** Replaces the socket, after an error. */
  reconnect(): void
}

/** A stopping node closes all its sockets at once; their pages reconnect over this period. */
const spreadMs = 1_000
/** Close codes after which the page does not reconnect. */
const finalStates: Readonly<Record<number, ConnectionState>> = {
  [closeCodes.foreignSite]: 'elsewhere',
  [closeCodes.switchedOff]: 'closed',
}

export function createConnection({
  chatUrl,
  storage,
  cursor,
  onFrame,
  onNewVisitor,
  onStateChange,
}: ConnectionDeps): Connection {
  let state: ConnectionState = 'idle'
  let socket: WebSocket | undefined
  let failures = 0
  let mustRenewToken = false
  let attempt = 0
  let isConnecting = false
  let retryTimer: ReturnType<typeof setTimeout> | undefined
  let watchdog: ReturnType<typeof setTimeout> | undefined

  const setState = (newState: ConnectionState) => {
    if (state === newState) return
    state = newState
    // biome-ignore lint/suspicious/noConsole: developers of the site look there.
    if (newState === 'elsewhere') console.warn(refusedSiteHint(chatUrl, location.origin))
    onStateChange(newState)
  }

  async function connect(): Promise<void> {
    clearTimeout(retryTimer)
    retryTimer = undefined
    if (socket || state === 'elsewhere' || state === 'closed' || isConnecting) return
    if (!navigator.onLine) return setState('offline')
    // After a failure the state stays `offline` until a connection succeeds, instead of changing with each attempt.
    if (failures === 0) setState('connecting')
    isConnecting = true
    attempt += 1
    const currentAttempt = attempt
    const admission = await requestAdmission(chatUrl, storage, mustRenewToken, Date.now())
    if (currentAttempt !== attempt) return
    isConnecting = false
    if (admission.kind === 'refused') return setState(admission.reason)
    if (admission.kind === 'later')
      return retry(Math.max(admission.afterMs, reconnectDelayMs(failures++, Math.random())))
    mustRenewToken = false
    if (admission.isNew) onNewVisitor()
    listen(new WebSocket(socketUrl(chatUrl, admission.visitor.token, cursor())))
  }

  function listen(opened: WebSocket): void {
    socket = opened
    let wasOpened = false
    let silentMs = 60_000
    const resetWatchdog = () => {
      clearTimeout(watchdog)
      watchdog = setTimeout(reconnect, silentMs)
    }
    resetWatchdog()
    opened.onopen = () => {
      wasOpened = true
    }
    opened.onmessage = ({ data }) => {
      const frame = JSON.parse(String(data)) as ServerFrame
      if (frame.type === 'welcome') {
        silentMs = frame.pingEveryMs * 2
        setState('open')
      }
      if (frame.type === 'caughtUp') failures = 0
      resetWatchdog()
      onFrame(frame)
    }
    opened.onclose = ({ code }) => {
      closeSocket()
      const finalState = finalStates[code]
      if (finalState) return setState(finalState)
      // A browser gives no reason for a socket that never opened; a token request returns one.
      mustRenewToken = code === closeCodes.badToken || !wasOpened
      const isExpected = code === closeCodes.goingAway || code === closeCodes.behind
      retry(isExpected ? Math.random() * spreadMs : reconnectDelayMs(failures++, Math.random()))
    }
  }

  function closeSocket(): void {
    clearTimeout(watchdog)
    if (!socket) return
    socket.onmessage = null
    socket.onclose = null
    socket.close()
    socket = undefined
  }

  function retry(afterMs: number): void {
    setState('offline')
    clearTimeout(retryTimer)
    retryTimer = setTimeout(connect, afterMs)
  }

  function reconnect(): void {
    closeSocket()
    retry(reconnectDelayMs(failures++, Math.random()))
  }

  function reconnectNow(): void {
    if (state === 'offline') connect()
  }

  addEventListener('online', reconnectNow)
  addEventListener('offline', () => {
    if (state === 'idle') return
    attempt += 1
    isConnecting = false
    closeSocket()
    clearTimeout(retryTimer)
    if (state === 'open' || state === 'connecting') setState('offline')
  })
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) reconnectNow()
  })
  // Browsers do not put a page with an open socket into the back-forward cache.
  addEventListener('pagehide', () => {
    if (state !== 'open') return
    closeSocket()
    setState('offline')
  })
  addEventListener('pageshow', reconnectNow)

  return {
    start: () => void (state === 'idle' && connect()),
    reconnectNow,
    send(frame) {
      if (state !== 'open' || socket?.readyState !== WebSocket.OPEN) return false
      socket.send(JSON.stringify(frame))
      return true
    },
    reconnect: () => void (socket && reconnect()),
  }
}

/** For the developer of a site; visitors see a sentence without it. */
function refusedSiteHint(chatUrl: string, site: string): string {
  return `Parley: the chat ${chatUrl} refuses this site. Add "${site}" to inputs.origins of the agent's webchat channel to allow it.`
}

function socketUrl(chatUrl: string, token: string, cursor: number | undefined): string {
  const url = new URL(chatUrl.replace(/^http/, 'ws'))
  url.searchParams.set('token', token)
  if (cursor !== undefined) url.searchParams.set('after', String(cursor))
  return url.href
}
