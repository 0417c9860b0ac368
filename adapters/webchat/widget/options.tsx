/** Choices: rows of a list, and time slots by the days of the visitor's calendar. */
import { useMemo } from 'preact/hooks'
import type { Row, Slot } from '../frames.js'
import { Reply } from './chips.js'
import { anyInOtherZone, daysOf } from './days.js'
import { CardPicture } from './media.js'
import { words } from './words.js'

export function Rows({ rows }: { rows: readonly Row[] }) {
  return (
    <fieldset class="rows" aria-label={words.options}>
      {rows.map(({ label, description, mediaUrl, tap }) => (
        <Reply key={tap} tap={tap} label={label} class="row">
          {mediaUrl && (
            <span class="thumb">
              <CardPicture url={mediaUrl} />
            </span>
          )}
          <span class="words">
            <span class="label" dir="auto">
              {label}
            </span>
            {description && (
              <span class="more" dir="auto">
                {description}
              </span>
            )}
          </span>
        </Reply>
      ))}
    </fieldset>
  )
}

export function Times({ slots }: { slots: readonly Slot[] }) {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
  const days = useMemo(() => daysOf(slots, undefined, zone), [slots, zone])
  return (
    <div class="days">
      {days.map(({ name, times }) => (
        <fieldset key={name}>
          <legend>{name}</legend>
          <div class="times">
            {times.map(({ slot, text, fullText, note }) => (
              <Reply key={slot.tap} tap={slot.tap} label={slot.label} shown={fullText} alias={slot.label} class="time">
                <span class="words">
                  <span class="label">{text}</span>
                  {note && (
                    <span class="more" dir="auto">
                      {note}
                    </span>
                  )}
                </span>
              </Reply>
            ))}
          </div>
        </fieldset>
      ))}
      {anyInOtherZone(slots, zone) && <p class="hint">{words.timesIn(zone.replaceAll('_', ' '))}</p>}
    </div>
  )
}
