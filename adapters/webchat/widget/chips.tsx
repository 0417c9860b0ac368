/** Chips: replies that answer once, and things to do that stay. */
import type { ComponentChildren } from 'preact'
import { mapsLink } from '../../../core/render/links.js'
import { words as rendered } from '../../../core/render/words.js'
import type { Chip } from '../frames.js'
import { type Asking, useAsking } from './asking.js'
import { calendarFile } from './calendar.js'
import { Icon, type IconName } from './icons.js'
import { dialUrl } from './links.js'
import { Locate } from './locate.js'
import { Anchor } from './prose.js'
import { saveFile } from './saving.js'
import { words } from './words.js'

interface ChipsProps {
  chips: readonly Chip[] | undefined
  /** What stands on the card that they belong to: a tap on one of several alike says which. */
  about?: string
}

export function Chips({ chips = [], about }: ChipsProps) {
  if (chips.length === 0) return null
  return (
    <fieldset class="chips" aria-label={about ?? words.options}>
      {chips.map((chip, at) => (
        <ChipView key={at} chip={chip} about={about} />
      ))}
    </fieldset>
  )
}

function ChipView({ chip, about }: { chip: Chip; about: string | undefined }) {
  const asking = useAsking()
  switch (chip.kind) {
    case 'reply':
      return (
        <Reply
          tap={chip.tap}
          label={chip.label}
          shown={about && chip.label === rendered.select ? about : chip.label}
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
        <button type="button" class="chip action" onClick={() => saveEvent(chip, asking)}>
          <Icon name="calendar" />
          <span dir="auto">{chip.label}</span>
        </button>
      )
  }
}

function Action({ icon, url, chip }: { icon: IconName; url: string; chip: Chip }) {
  const { chat } = useAsking()
  const told = () => void (chip.tap !== undefined && chat.tap(chip.tap, chip.label))
  return (
    <Anchor class="chip action" url={url} onClick={told}>
      <Icon name={icon} />
      <span dir="auto">{chip.label}</span>
    </Anchor>
  )
}

interface ReplyProps {
  tap: string | undefined
  label: string
  /** What the conversation says when it is tapped. */
  shown?: string
  /** What the record may call it instead. */
  alias?: string
  class: string
  children?: ComponentChildren
}

/** One answer of several. It keeps its focus when it is spent, so nobody who uses a keyboard is thrown back to the start. */
export function Reply({ tap, label, shown = label, alias = shown, class: name, children }: ReplyProps) {
  const { chat, answer } = useAsking()
  const isChosen = answer?.tap === undefined ? isSaid(answer?.text, shown, alias) : answer.tap === tap
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

/** After a reload only words tell what was chosen. */
function isSaid(text: string | undefined, ...names: readonly string[]): boolean {
  return text !== undefined && names.includes(text)
}

function saveEvent({ event, tap, label }: Chip, { chat, messageId }: Asking): void {
  if (!event) return
  const uid = `${messageId}-${Date.parse(event.start.iso)}@parley`
  saveFile(event.title, 'ics', 'text/calendar', calendarFile(event, uid, new Date()))
  if (tap !== undefined) chat.tap(tap, label)
}
