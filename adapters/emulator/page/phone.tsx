/** One phone: its messages, its acts and its network state. */
import { useEffect, useRef } from 'preact/hooks'
import type { Act, Channel, EmulatorScene, Picture, TranscriptEntry } from './api.js'
import { Bubble, InspectButton, isNote, TurnButton } from './bubble.js'
import { Composer } from './composer.js'
import type { InspectTarget, MessageTarget } from './details.js'
import type { PhoneState } from './pagestate.js'

interface PhoneProps {
  /** Unique on the page. */
  id: string
  title: string
  phone: EmulatorScene['phones'][number]
  state: PhoneState | undefined
  /** What to write first. */
  suggestions: readonly string[]
  /** A hidden phone has no height to scroll. */
  isShown: boolean
  pictureChars: number
  /** True when the act succeeded. */
  perform: (act: Act) => Promise<boolean>
  sendPicture: (picture: Picture) => Promise<boolean>
  inspect: (target: InspectTarget) => void
  /** Absent for an agent without turns. */
  showTurn?: ((target: MessageTarget) => void) | undefined
}

/** A place to share. */
const sampleLocation = { kind: 'location', latitude: 38.7071, longitude: -9.1359, label: 'Terreiro do Paço' } as const

/** Acts beside writing and tapping, by channel. */
const extraActs: Readonly<Record<Channel, readonly { label: string; act: Act }[]>> = {
  rcs: [
    { label: 'Location', act: sampleLocation },
    { label: 'STOP', act: { kind: 'stop' } },
  ],
  sms: [{ label: 'STOP', act: { kind: 'stop' } }],
  messengerA: [
    { label: 'Location', act: sampleLocation },
    { label: 'STOP', act: { kind: 'stop' } },
  ],
  vendorMessages: [{ label: 'Delete thread', act: { kind: 'optOut' } }],
}

/** How a person who opted out opts in again. */
const optInHints: Readonly<Record<Channel, string>> = {
  rcs: 'Write START to opt in again.',
  sms: 'Write START to opt in again.',
  messengerA: 'Write anything to opt in again.',
  vendorMessages: 'Write anything to opt in again.',
}

export function PhoneView({
  id,
  title,
  phone,
  state,
  suggestions,
  isShown,
  pictureChars,
  perform,
  sendPicture,
  inspect,
  showTurn,
}: PhoneProps) {
  const { channel, provider, address } = phone
  const log = useRef<HTMLDivElement>(null)
  const { items = [], statuses = [], isOffline = false, isLost = false, isOptedOut = false } = state ?? {}
  const latest = items.findLast((item) => !isNote(item))
  const stateOf = (providerId: string) => statuses.find(({ providerIds }) => providerIds.includes(providerId))?.state

  useEffect(() => {
    const element = log.current
    if (!element || !isShown) return
    const scrollToEnd = () => element.scrollTo({ top: element.scrollHeight })
    scrollToEnd()
    // A picture has its height once it is loaded. A log that was scrolled back meanwhile does not move.
    const end = element.scrollTop
    const onLoad = () => void (element.scrollTop >= end && scrollToEnd())
    element.addEventListener('load', onLoad, true)
    return () => element.removeEventListener('load', onLoad, true)
  }, [items.length, isShown])

  return (
    <section class={`phone ${channel}`} id={id} aria-label={title}>
      <header>
        <h2>{title}</h2>
        <p class="about">
          {provider} · {address.replace(/^urn:mbid:/, '')}
        </p>
        <p class="standing" role="status">
          {isOptedOut && `Opted out. ${optInHints[channel]}`}
        </p>
      </header>
      <fieldset class="deeds" aria-label={`What else to do on ${title}`}>
        <button
          type="button"
          aria-pressed={isOffline}
          onClick={() => void perform({ kind: isOffline ? 'online' : 'offline' })}
        >
          Offline
        </button>
        {channel === 'rcs' && (
          <button
            type="button"
            aria-pressed={isLost}
            onClick={() => void perform({ kind: isLost ? 'regain' : 'lose' })}
          >
            No RCS
          </button>
        )}
        {extraActs[channel].map(({ label, act }) => (
          <button key={label} type="button" disabled={isOffline} onClick={() => void perform(act)}>
            {label}
          </button>
        ))}
      </fieldset>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard */}
      <div class="log" ref={log} role="log" aria-label={`Messages on ${title}`} tabIndex={0}>
        {items.length === 0 && (
          <Suggestions texts={suggestions} isOffline={isOffline} use={(text) => void perform({ kind: 'text', text })} />
        )}
        {items.map((item) => (
          <Bubble
            key={`${item.kind} ${'number' in item ? item.number : item.messageId}`}
            item={item}
            channel={channel}
            provider={provider}
            isNewest={item === latest}
            state={item.kind === 'sent' ? stateOf(item.providerId) : undefined}
            isOffline={isOffline}
            perform={(act) => void perform(act)}
            sampleLocation={sampleLocation}
            inspect={inspect}
            showTurn={showTurn}
          />
        ))}
      </div>
      <Composer
        title={title}
        pictureChars={pictureChars}
        isOffline={isOffline}
        perform={perform}
        sendPicture={sendPicture}
      />
    </section>
  )
}

function Suggestions({
  texts,
  isOffline,
  use,
}: {
  texts: readonly string[]
  isOffline: boolean
  use: (text: string) => void
}) {
  return (
    <div class="empty suggestions">
      <p>Write something, or try</p>
      {texts.map((text) => (
        <button key={text} type="button" class="tap" disabled={isOffline} onClick={() => use(text)}>
          {text}
        </button>
      ))}
    </div>
  )
}

interface WebChatProps {
  /** Unique on the page. */
  id: string
  url: string
  lines: readonly TranscriptEntry[]
  visitor: string | undefined
  inspect: (target: InspectTarget) => void
  /** Absent for an agent without turns. */
  showTurn?: ((target: MessageTarget) => void) | undefined
  /** Called with the visitor that the frame shows. */
  onVisitor: (visitor: string) => void
}

/** The web chat is the visitors' own page in a frame; below it are its transcript entries with their inspectors. */
export function WebChat({ id, url, lines, visitor, inspect, showTurn, onVisitor }: WebChatProps) {
  const frame = useRef<HTMLIFrameElement>(null)
  useEffect(() => {
    function onMessage({ source, origin, data }: MessageEvent) {
      if (source !== frame.current?.contentWindow || origin !== new URL(url).origin) return
      if (typeof data?.parleyVisitor === 'string') onVisitor(data.parleyVisitor)
    }
    addEventListener('message', onMessage)
    return () => removeEventListener('message', onMessage)
  }, [url, onVisitor])
  const list = useRef<HTMLOListElement>(null)
  useEffect(() => {
    list.current?.scrollTo({ top: list.current.scrollHeight })
  }, [lines.at(-1)?.cursor])

  return (
    <section class="phone webchat" id={id} aria-label="Web chat">
      <header>
        <h2>Web chat</h2>
        <p class="about">
          <a href={url} target="_blank" rel="noreferrer">
            Open on its own
          </a>
        </p>
      </header>
      <iframe
        ref={frame}
        src={url}
        title="Web chat with the agent"
        onLoad={() => frame.current?.contentWindow?.postMessage({ parleyAsks: 'visitor' }, new URL(url).origin)}
      />
      {lines.length > 0 && (
        <ol
          class="record"
          ref={list}
          aria-label="Behind the web chat"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
          tabIndex={0}
        >
          {lines.map(({ cursor, by, words }) => {
            const target = { kind: 'chat', cursor, ...(visitor !== undefined && { visitor }) } as const
            const label = words.slice(0, 40)
            return (
              <li key={cursor} class={by}>
                <span class="words" dir="auto">
                  {words}
                </span>
                {showTurn && by === 'agent' && <TurnButton label={label} show={() => showTurn(target)} />}
                <InspectButton label={label} show={() => inspect(target)} />
              </li>
            )
          })}
        </ol>
      )}
    </section>
  )
}
