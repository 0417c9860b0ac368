/** One message on a phone, with everything in it that can be tapped. */

import { useState } from 'preact/hooks'
import { segmentsOf } from '../../../core/render/gsm7.js'
import type { Act, Channel, State } from './api.js'
import type { InspectTarget, MessageTarget } from './details.js'
import { type Card, type Drawing, drawingOf, type Picture, type Tap } from './drawing.js'
import { MarkupText } from './markup.js'
import type { Item } from './pagestate.js'

interface BubbleProps {
  item: Item
  channel: Channel
  provider: string
  isNewest: boolean
  state: State | undefined
  isOffline: boolean
  perform: (act: Act) => void
  sampleLocation: Act
  inspect: (target: InspectTarget) => void
  /** Absent for an agent without turns. */
  showTurn?: ((target: MessageTarget) => void) | undefined
}

export function Bubble({
  item,
  channel,
  provider,
  isNewest,
  state,
  isOffline,
  perform,
  sampleLocation,
  inspect,
  showTurn,
}: BubbleProps) {
  if (item.kind === 'failed') {
    return (
      <article class="line note">
        <p>A message did not get here.</p>
        <InspectButton
          label="the message that failed"
          show={() => inspect({ kind: 'message', channel, name: item.messageId })}
        />
      </article>
    )
  }
  if (item.kind === 'refused') {
    return (
      <article class="line note">
        <p>{refusals[item.reason] ?? `A message of the agent was refused: ${item.reason}.`}</p>
      </article>
    )
  }
  if (item.kind === 'done') {
    return (
      <article class={isNote(item) ? 'line note' : 'line own'}>
        {item.act.kind === 'media' && item.act.url !== undefined ? (
          <Media url={item.act.url} kind="image" alt={item.act.name} />
        ) : (
          <p class={isNote(item) ? '' : 'bubble'} dir="auto">
            {textOf(item.act)}
          </p>
        )}
        <InspectButton label={textOf(item.act)} show={() => inspect({ kind: 'act', number: item.number })} />
      </article>
    )
  }
  const drawing = drawingOf(provider, item.body)
  const target = { kind: 'message', channel, name: item.providerId } as const
  const label = (drawing.text ?? 'a message').slice(0, 40)
  const tap = ({ kind, label, postback }: Tap) =>
    kind === 'location'
      ? perform(sampleLocation)
      : postback !== undefined && perform({ kind: 'tap', label, postback, number: item.number })
  return (
    <article class="line theirs">
      <DrawingView drawing={drawing} channel={channel} tap={tap} chips={isNewest} />
      <footer>
        <Receipt state={state} isOffline={isOffline} />
        {channel === 'sms' && drawing.text !== undefined && <Segments text={drawing.text} />}
        <span class="looks">
          {showTurn && <TurnButton label={label} show={() => showTurn(target)} />}
          <InspectButton label={label} show={() => inspect(target)} />
        </span>
      </footer>
    </article>
  )
}

/** Texts for reasons of refusal; the page shows other reasons by name. */
const refusals: Readonly<Record<string, string>> = {
  optedOut: 'A message of the agent was refused: this phone has opted out.',
  windowClosed: 'A message of the agent was refused: nothing was written here within the last day.',
  loopDetected: 'A message of the agent was refused: too many without an answer of this phone.',
}

const silentActs: readonly Act['kind'][] = ['offline', 'online', 'lose', 'regain', 'optOut']

/** True for an event of the phone, such as going offline, and false for messages. */
export function isNote(item: Item): boolean {
  return (
    item.kind === 'failed' || item.kind === 'refused' || (item.kind === 'done' && silentActs.includes(item.act.kind))
  )
}

export function InspectButton({ label, show }: { label: string; show: () => void }) {
  return (
    <button type="button" class="raw" aria-label={`Raw: ${label}`} onClick={show}>
      {'{ }'}
    </button>
  )
}

/** Opens what the agent decided before it sent the message. */
export function TurnButton({ label, show }: { label: string; show: () => void }) {
  return (
    <button type="button" class="opens-turn" aria-label={`Turn: ${label}`} onClick={show}>
      Turn
    </button>
  )
}

function textOf(act: Act): string {
  switch (act.kind) {
    case 'text':
      return act.text
    case 'tap':
      return act.label
    case 'location':
      return `📍 ${act.label ?? `${act.latitude}, ${act.longitude}`}`
    case 'media':
      return `🖼 ${act.name}`
    default:
      return sentences[act.kind]
  }
}

const sentences = {
  stop: 'STOP',
  optOut: 'The thread was deleted.',
  offline: 'The phone went offline.',
  online: 'The phone is online again.',
  lose: 'RCS does not reach this phone any more.',
  regain: 'RCS reaches this phone again.',
} as const

const receipts: Readonly<Record<State, string>> = {
  queued: 'Waiting',
  sent: 'Sent',
  delivered: 'Delivered',
  read: 'Read',
  failed: 'Failed',
}

function Receipt({ state = 'queued', isOffline }: { state?: State | undefined; isOffline: boolean }) {
  const isWaiting = isOffline && (state === 'sent' || state === 'queued')
  return <span class={`receipt ${state}`}>{isWaiting ? 'Sent, phone offline' : receipts[state]}</span>
}

function Segments({ text }: { text: string }) {
  const { encoding, segments, units } = segmentsOf(text)
  return (
    <span title={`${units} units`}>
      {segments} {segments === 1 ? 'segment' : 'segments'}, {encoding === 'gsm7' ? 'GSM-7' : 'UCS-2'}
    </span>
  )
}

interface DrawingViewProps {
  drawing: Drawing
  channel: string
  tap: (tap: Tap) => void
  /** Whether the chips still show. */
  chips: boolean
}

export function DrawingView({
  drawing: { text, pictures = [], cards = [], chips = [], list },
  channel,
  tap,
  chips: hasChips,
}: DrawingViewProps) {
  return (
    <div class="drawn">
      {text !== undefined && (
        <div class="bubble" dir="auto">
          <MarkupText text={text} channel={channel} />
        </div>
      )}
      {pictures.map((picture) => (
        <Media key={picture.url} {...picture} />
      ))}
      {cards.length > 0 && (
        <div class={cards.length > 1 ? 'cards many' : 'cards'}>
          {cards.map((card, at) => (
            <CardView key={at} card={card} channel={channel} tap={tap} />
          ))}
        </div>
      )}
      {list && <List {...list} tap={tap} />}
      {hasChips && chips.length > 0 && (
        <div class="chips">
          {chips.map((chip, at) => (
            <TapView key={at} {...chip} tap={() => tap(chip)} />
          ))}
        </div>
      )}
    </div>
  )
}

/** The list closes after a pick. */
function List({ title, rows, tap }: NonNullable<Drawing['list']> & { tap: (tap: Tap) => void }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details class="list" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{title}</summary>
      {rows.map((row) => (
        <TapView
          key={row.postback ?? row.label}
          {...row}
          tap={() => {
            setOpen(false)
            tap(row)
          }}
        />
      ))}
    </details>
  )
}

interface CardProps {
  card: Card
  channel: string
  tap: (tap: Tap) => void
}

function CardView({ card: { title, description, picture, taps }, channel, tap }: CardProps) {
  return (
    <div class="card">
      {picture && <Media {...picture} />}
      {title && <strong dir="auto">{title}</strong>}
      {description && (
        <div class="said" dir="auto">
          <MarkupText text={description} channel={channel} />
        </div>
      )}
      {taps.map((each, at) => (
        <TapView key={at} {...each} tap={() => tap(each)} />
      ))}
    </div>
  )
}

const icons: Readonly<Record<Tap['kind'], string>> = {
  reply: '',
  link: '↗ ',
  dial: '☎ ',
  calendar: '📅 ',
  map: '🗺 ',
  location: '📍 ',
}

/**
 * A tap with a postback goes to the provider. A link without one is opened by the phone, and the provider is not
 * called.
 */
function TapView({ label, description, kind, postback, href, tap }: Tap & { tap: () => void }) {
  const content = (
    <>
      {icons[kind] && <span aria-hidden="true">{icons[kind]}</span>}
      <span dir="auto">{label}</span>
      {description && <small dir="auto">{description}</small>}
    </>
  )
  if (href !== undefined && postback === undefined) {
    return (
      <a class="tap" href={href} target="_blank" rel="noreferrer">
        {content}
      </a>
    )
  }
  return (
    <button type="button" class="tap" onClick={tap} {...(href !== undefined && { title: href })}>
      {content}
    </button>
  )
}

function Media({ url, kind, alt = '' }: Picture) {
  if (kind === 'image') return <img class="picture" src={url} alt={alt} loading="lazy" />
  if (kind === 'file') {
    return (
      <a class="tap" href={url} target="_blank" rel="noreferrer">
        {alt || 'A file'}
      </a>
    )
  }
  // biome-ignore lint/a11y/useMediaCaption: media of a message has no captions
  return kind === 'video' ? <video class="picture" src={url} controls /> : <audio src={url} controls />
}
