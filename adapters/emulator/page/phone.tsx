/** One phone: what it was sent, what its person does, and how it stands to the network. */
import { useEffect, useRef } from 'preact/hooks'
import type { Act, Channel, ChatLine, Picture, Stage } from './api.js'
import { Bubble, isNote, Raw } from './bubble.js'
import type { Asked } from './raw.js'
import type { PhoneTalk } from './talk.js'
import { Writing } from './writing.js'

interface PhoneProps {
  title: string
  phone: Stage['phones'][number]
  talk: PhoneTalk | undefined
  pictureChars: number
  /** Whether it was done. */
  does: (what: Act) => Promise<boolean>
  sends: (picture: Picture) => Promise<boolean>
  ask: (asked: Asked) => void
}

/** Somewhere to be. */
const here = { kind: 'location', latitude: 38.7071, longitude: -9.1359, label: 'Terreiro do Paço' } as const

/** What else a person can do there, beside writing and tapping. */
const deeds: Readonly<Record<Channel, readonly { label: string; what: Act }[]>> = {
  rcs: [
    { label: 'Location', what: here },
    { label: 'STOP', what: { kind: 'stop' } },
  ],
  sms: [{ label: 'STOP', what: { kind: 'stop' } }],
  messengerA: [
    { label: 'Location', what: here },
    { label: 'STOP', what: { kind: 'stop' } },
  ],
  vendorMessages: [{ label: 'Delete thread', what: { kind: 'optOut' } }],
}

/** How a person who has opted out opts in again. */
const comebacks: Readonly<Record<Channel, string>> = {
  rcs: 'Write START to opt in again.',
  sms: 'Write START to opt in again.',
  messengerA: 'Write anything to opt in again.',
  vendorMessages: 'Write anything to opt in again.',
}

export function PhoneView({ title, phone, talk, pictureChars, does, sends, ask }: PhoneProps) {
  const { channel, provider, address } = phone
  const log = useRef<HTMLDivElement>(null)
  const { items = [], fares = [], isOffline = false, isLost = false, isOptedOut = false } = talk ?? {}
  const newest = items.findLast((item) => !isNote(item))
  const stateOf = (providerId: string) => fares.find(({ providerIds }) => providerIds.includes(providerId))?.state

  useEffect(() => {
    const shown = log.current
    if (!shown) return
    const toEnd = () => shown.scrollTo({ top: shown.scrollHeight })
    toEnd()
    // A picture has its height once it is loaded; a log that was scrolled back meanwhile stays where it is.
    const end = shown.scrollTop
    const onLoad = () => void (shown.scrollTop >= end && toEnd())
    shown.addEventListener('load', onLoad, true)
    return () => shown.removeEventListener('load', onLoad, true)
  }, [items.length])

  return (
    <section class={`phone ${channel}`} id={channel} aria-label={title}>
      <header>
        <h2>{title}</h2>
        <p class="about">
          {provider} · {address.replace(/^urn:mbid:/, '')}
        </p>
        <p class="standing" role="status">
          {isOptedOut && `Opted out. ${comebacks[channel]}`}
        </p>
      </header>
      <fieldset class="deeds" aria-label={`What else to do on ${title}`}>
        <button
          type="button"
          aria-pressed={isOffline}
          onClick={() => void does({ kind: isOffline ? 'online' : 'offline' })}
        >
          Offline
        </button>
        {channel === 'rcs' && (
          <button type="button" aria-pressed={isLost} onClick={() => void does({ kind: isLost ? 'regain' : 'lose' })}>
            No RCS
          </button>
        )}
        {deeds[channel].map(({ label, what }) => (
          <button key={label} type="button" disabled={isOffline} onClick={() => void does(what)}>
            {label}
          </button>
        ))}
      </fieldset>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached without a mouse */}
      <div class="log" ref={log} role="log" aria-label={`Messages on ${title}`} tabIndex={0}>
        {items.length === 0 && <p class="empty">Say hello.</p>}
        {items.map((item) => (
          <Bubble
            key={`${item.kind} ${'number' in item ? item.number : item.messageId}`}
            item={item}
            channel={channel}
            provider={provider}
            isNewest={item === newest}
            state={item.kind === 'sent' ? stateOf(item.providerId) : undefined}
            isOffline={isOffline}
            does={(what) => void does(what)}
            here={here}
            ask={ask}
          />
        ))}
      </div>
      <Writing title={title} pictureChars={pictureChars} isOffline={isOffline} does={does} sends={sends} />
    </section>
  )
}

interface WebChatProps {
  url: string
  lines: readonly ChatLine[]
  visitor: string | undefined
  ask: (asked: Asked) => void
  /** Called with the visitor that the frame shows. */
  meet: (visitor: string) => void
}

/** The chat is a page of its own, as visitors get it; what is behind its bubbles stands below. */
export function WebChat({ url, lines, visitor, ask, meet }: WebChatProps) {
  const frame = useRef<HTMLIFrameElement>(null)
  useEffect(() => {
    function onMessage({ source, origin, data }: MessageEvent) {
      if (source !== frame.current?.contentWindow || origin !== new URL(url).origin) return
      if (typeof data?.parleyVisitor === 'string') meet(data.parleyVisitor)
    }
    addEventListener('message', onMessage)
    return () => removeEventListener('message', onMessage)
  }, [url, meet])
  const record = useRef<HTMLOListElement>(null)
  useEffect(() => {
    record.current?.scrollTo({ top: record.current.scrollHeight })
  }, [lines.at(-1)?.cursor])

  return (
    <section class="phone webchat" id="webchat" aria-label="Web chat">
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
          ref={record}
          aria-label="Behind the web chat"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached without a mouse
          tabIndex={0}
        >
          {lines.map(({ cursor, by, words }) => (
            <li key={cursor} class={by}>
              <span class="words" dir="auto">
                {words}
              </span>
              <Raw
                label={words.slice(0, 40)}
                show={() => ask({ kind: 'chat', cursor, ...(visitor !== undefined && { visitor }) })}
              />
            </li>
          ))}
        </ol>
      )}
    </section>
  )
}
