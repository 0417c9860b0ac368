/** The line to the gateway: one socket, opened again after every break, sooner at first and later each time it fails. */
import { closeCodes } from '../../../core/channel/socketcodec.js'
import type { ClientFrame, ServerFrame } from '../frames.js'
import { reconnectDelayMs } from './backoff.js'
import type { ChatStorage } from './storage.js'
import { requestAdmission } from './visitor.js'

export type ConnectionState = 'idle' | 'connecting' | 'open' | 'offline' | 'elsewhere' | 'gone'

export interface ConnectionDeps {
  readonly chatUrl: string
  readonly storage: ChatStorage
  /** Where the record goes on; undefined at the beginning. */
  cursor(): number | undefined
  onFrame(frame: ServerFrame): void
  /** The visitor is not who they were. */
  onNewVisitor(): void
  onStateChange(state: ConnectionState): void
}

export interface Connection {
  /** Connects, unless it is connected or never will be. */
  start(): void
  /** Connects at once where the next try would be later. */
  reconnectNow(): void
  /** Whether it went out; what does not go out is for the caller to keep. */
  send(frame: ClientFrame): boolean
  /** Something is amiss: the socket is given up for a new one. */
  reconnect(): void
}

/** A node that stops lets go of all its pages at once; they come back over this long. */
const spreadMs = 1_000
/** Ways of closing after which nothing is tried again. */
const finalStates: Readonly<Record<number, ConnectionState>> = {
  [closeCodes.foreignSite]: 'elsewhere',
  [closeCodes.switchedOff]: 'gone',
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
    if (socket || state === 'elsewhere' || state === 'gone' || isConnecting) return
    if (!navigator.onLine) return setState('offline')
    // While it does not succeed, what is shown is that there is no line, not each try.
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
      // A socket that did not even open tells a page nothing; asking for the token again does.
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
  // A page with an open socket is not kept for the way back.
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

/** For the developer of a site: visitors see a sentence without it. */
function refusedSiteHint(chatUrl: string, site: string): string {
  return `Parley: the chat ${chatUrl} refuses this site. Add "${site}" to inputs.origins of the agent's webchat channel to allow it.`
}

function socketUrl(chatUrl: string, token: string, cursor: number | undefined): string {
  const url = new URL(chatUrl.replace(/^http/, 'ws'))
  url.searchParams.set('token', token)
  if (cursor !== undefined) url.searchParams.set('after', String(cursor))
  return url.href
}
