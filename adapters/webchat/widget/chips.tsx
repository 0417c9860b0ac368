/** Chips: replies, which answer once, and actions, which stay. */
import type { ComponentChildren } from 'preact'
import { mapsLink } from '../../../core/render/links.js'
import { phrases as rendered } from '../../../core/render/phrases.js'
import type { Chip } from '../frames.js'
import { saveFile } from './download.js'
import { calendarFile } from './icalendar.js'
import { Icon, type IconName } from './icons.js'
import { Locate } from './location.js'
import { type MessageScope, useMessageContext } from './messagecontext.js'
import { Anchor } from './prose.js'
import { dialUrl } from './urls.js'
import { words } from './words.js'

interface ChipsProps {
  chips: readonly Chip[] | undefined
  /** The title of the card that the chips are on; a tap on one of several equal chips names it. */
  cardTitle?: string
}

export function Chips({ chips = [], cardTitle }: ChipsProps) {
  if (chips.length === 0) return null
  return (
    <fieldset class="chips" aria-label={cardTitle ?? words.options}>
      {chips.map((chip, at) => (
        <ChipView key={at} chip={chip} cardTitle={cardTitle} />
      ))}
    </fieldset>
  )
}

function ChipView({ chip, cardTitle }: { chip: Chip; cardTitle: string | undefined }) {
  const scope = useMessageContext()
  switch (chip.kind) {
    case 'reply':
      return (
        <Reply
          tap={chip.tap}
          label={chip.label}
          shown={cardTitle && chip.label === rendered.select ? cardTitle : chip.label}
          class="chip"
        />
      )
    case 'shareLocation':
      return <Locate label={chip.label} />
    case 'url':
      return <Action icon="link" url={chip.url ?? ''} chip={chip} />
    case 'dial':
      return <Action icon="dial" url={dialUrl(chip.phone ?? '')} chip={chip} />
    case 'viewLocation':
      return <Action icon="place" url={chip.place ? mapsLink(chip.place) : ''} chip={chip} />
    case 'calendar':
      return (
        <button type="button" class="chip action" onClick={() => saveEvent(chip, scope)}>
          <Icon name="calendar" />
          <span dir="auto">{chip.label}</span>
        </button>
      )
  }
}

function Action({ icon, url, chip }: { icon: IconName; url: string; chip: Chip }) {
  const { chat } = useMessageContext()
  const reportTap = () => void (chip.tap !== undefined && chat.tap(chip.tap, chip.label))
  return (
    <Anchor class="chip action" url={url} onClick={reportTap}>
      <Icon name={icon} />
      <span dir="auto">{chip.label}</span>
    </Anchor>
  )
}

interface ReplyProps {
  tap: string | undefined
  label: string
  /** The text of the tap in the conversation. */
  shown?: string
  /** Another text that the transcript may have for the tap. */
  alias?: string
  class: string
  children?: ComponentChildren
}

/** One of several answers. The button stays after another answer, so that keyboard users keep their focus. */
export function Reply({ tap, label, shown = label, alias = shown, class: name, children }: ReplyProps) {
  const { chat, answer } = useMessageContext()
  const isChosen = answer?.tap === undefined ? matchesText(answer?.text, shown, alias) : answer.tap === tap
  const choose = () => {
    if (!answer && tap !== undefined) chat.tap(tap, label, shown)
  }
  return (
    <button
      type="button"
      class={`${name}${answer ? ' spent' : ''}${isChosen ? ' chosen' : ''}`}
      aria-disabled={answer ? 'true' : undefined}
      onClick={choose}
    >
      {isChosen && <Icon name="check" />}
      {children ?? <span dir="auto">{label}</span>}
      {isChosen && <span class="unseen"> ({words.chosen})</span>}
    </button>
  )
}

/** After a reload only the text tells which answer was chosen. */
function matchesText(text: string | undefined, ...names: readonly string[]): boolean {
  return text !== undefined && names.includes(text)
}

function saveEvent({ event, tap, label }: Chip, { chat, messageId }: MessageScope): void {
  if (!event) return
  const uid = `${messageId}-${Date.parse(event.start.iso)}@parley`
  saveFile(event.title, 'ics', 'text/calendar', calendarFile(event, uid, new Date()))
  if (tap !== undefined) chat.tap(tap, label)
}
