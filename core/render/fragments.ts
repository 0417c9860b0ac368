/**
 * The building blocks of rungs: drafts of blocks, the position of a part in its message, and the room the channel
 * leaves.
 */
import type { PlainPart } from '../amf/index.js'
import type { Block, RenderedChip, RenderedMedia, RenderedRow, RenderedSlot } from '../channel/blocks.js'
import type { Traits } from '../channel/traits.js'
import type { ChipLimits } from './chiprow.js'
import type { Line } from './lines.js'
import type { FormatOptions } from './values.js'

/** A block whose text is still lines: the text is written, and split if necessary, when the message is complete. */
export type Draft =
  | {
      readonly kind: 'text'
      readonly lines: readonly Line[]
      readonly chips: readonly RenderedChip[]
      /** The sentence that explains answers by number; numbers that join the draft come before it. */
      readonly closing?: string
    }
  | {
      readonly kind: 'media'
      readonly media: RenderedMedia
      readonly lines: readonly Line[]
      readonly chips: readonly RenderedChip[]
    }
  | { readonly kind: 'list'; readonly lines: readonly Line[]; readonly rows: readonly RenderedRow[] }
  | { readonly kind: 'times'; readonly lines: readonly Line[]; readonly slots: readonly RenderedSlot[] }
  | { readonly kind: 'whole'; readonly block: Block }

export interface Fragment {
  readonly drafts: readonly Draft[]
  /** The tap indexes that got a number, in the order of the numbers. */
  readonly numbered: readonly number[]
  /** The piece explains answers by number, after all its numbers. */
  readonly prompted?: boolean
}

/** The position of a part in its message. */
export interface RenderContext {
  readonly traits: Traits
  readonly format: FormatOptions
  /** The index of its first tap, and the number of its first numbered answer. */
  readonly firstTap: number
  readonly firstNumber: number
  /** Only the chips of the message follow: `trailingChips` of them, in one row with its own chips. */
  readonly isLast: boolean
  readonly trailingChips: number
}

/**
 * One way to show a part. `level` and `has` say what a channel can do with parts of this type; `show` renders the part,
 * or returns undefined if it does not fit, and the next rung is tried. The last rung of a ladder always fits.
 */
export interface Rung<P> {
  readonly name: string
  readonly level: 'native' | 'degraded' | 'text'
  readonly has: (traits: Traits) => boolean
  readonly show: (part: P, context: RenderContext) => Fragment | undefined
}

export type PartOf<Type extends PlainPart['type']> = Extract<PlainPart, { type: Type }>
export type Ladder<P> = readonly Rung<P>[]

export function showOnLadder<P>(ladder: Ladder<P>, part: P, context: RenderContext): Fragment {
  for (const { has, show } of ladder) {
    const fragment = has(context.traits) ? show(part, context) : undefined
    if (fragment) return fragment
  }
  throw new Error('the last rung of a ladder fits every part')
}

/** The limits of chips below a draft at this position: none if the next message would take the chips away. */
export function chipLimits({ traits: { chips }, isLast, trailingChips }: RenderContext): ChipLimits | undefined {
  if (!chips?.whileNewest) return chips
  return isLast ? { ...chips, max: chips.max - trailingChips } : undefined
}

export function isAlways(): boolean {
  return true
}

export function textDraft(lines: readonly Line[], chips: readonly RenderedChip[] = [], closing?: string): Draft {
  return { kind: 'text', lines, chips, ...(closing !== undefined && { closing }) }
}
