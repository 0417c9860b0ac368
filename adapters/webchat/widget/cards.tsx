/** A card, and a carousel of several that scrolls sideways. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Card } from '../frames.js'
import { Chips } from './chips.js'
import { Icon } from './icons.js'
import { CardPicture } from './media.js'
import { Prose } from './prose.js'
import { words } from './words.js'

export function CardView({ card: { title, description, mediaUrl, chips } }: { card: Card }) {
  return (
    <div class="card">
      {mediaUrl && <CardPicture url={mediaUrl} />}
      {(title || description) && (
        <div class="about">
          {title && (
            <p class="title" dir="auto">
              {title}
            </p>
          )}
          {description && <Prose text={description} />}
        </div>
      )}
      <Chips chips={chips} cardTitle={title} />
    </div>
  )
}

export function Carousel({ cards }: { cards: readonly Card[] }) {
  const row = useRef<HTMLUListElement>(null)
  const [ends, setEnds] = useState({ atStart: true, atEnd: false })

  function updateEnds(): void {
    const { scrollLeft = 0, scrollWidth = 0, clientWidth = 0 } = row.current ?? {}
    // In right-to-left text scroll positions are negative.
    const at = Math.abs(scrollLeft)
    setEnds({ atStart: at < 8, atEnd: at + clientWidth > scrollWidth - 8 })
  }

  function scrollByCards(count: 1 | -1): void {
    const list = row.current
    if (!list) return
    const width = list.firstElementChild?.getBoundingClientRect().width ?? list.clientWidth
    const direction = getComputedStyle(list).direction === 'rtl' ? -1 : 1
    list.scrollBy({ left: width * count * direction })
  }

  useEffect(updateEnds, [])
  return (
    <div class="carousel">
      <ul
        ref={row}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
        tabIndex={0}
        aria-label={words.cards}
        onScroll={updateEnds}
      >
        {cards.map((card, at) => (
          <li key={at}>
            <CardView card={card} />
          </li>
        ))}
      </ul>
      {!(ends.atStart && ends.atEnd) && (
        <div class="moves">
          <button
            type="button"
            class="round"
            aria-label={words.before}
            aria-disabled={ends.atStart}
            onClick={() => scrollByCards(-1)}
          >
            <Icon name="back" turns />
          </button>
          <button
            type="button"
            class="round"
            aria-label={words.after}
            aria-disabled={ends.atEnd}
            onClick={() => scrollByCards(1)}
          >
            <Icon name="next" turns />
          </button>
        </div>
      )}
    </div>
  )
}
