/** What compiling AML takes and gives. */
import type { OutboundMessage } from '../amf/index.js'

/** Both begin at 1. A column counts as JavaScript counts the characters of a string. */
export interface Position {
  readonly line: number
  readonly column: number
}

export interface AmlProblem extends Position {
  readonly code: AmlCode
  readonly message: string
}

export type AmlCode = ProblemCode | WarningCode

export type ProblemCode =
  | 'empty'
  | 'unknownMarker'
  | 'unclosedMarker'
  | 'unclosedBlock'
  /** A marker that is known and not written as it should be, or a line of a block. */
  | 'badMarker'
  | 'badLine'
  | 'badDate'
  | 'duplicateId'
  | 'emptyList'
  | 'signalNotAlone'
  /** It names content that only managed agents have. */
  | 'managedOnly'
  /** What the format itself says of the compiled message. */
  | 'invalidMessage'
  | 'invalidSignal'
  | 'unsupportedPart'
  | 'tooLarge'

export type WarningCode = 'unknownMarker' | 'longLabel' | 'tooManyChips' | 'pastSlot' | 'unknownOffset'

export interface CompileOptions {
  /** Slots before it are warned of; absent: none is. Milliseconds since 1970. */
  readonly now?: number
  /** Markers that do not exist are text, with a warning; otherwise they are problems. */
  readonly lenient?: boolean
  /** References to content are kept for the caller to resolve; otherwise they are problems. */
  readonly managed?: boolean
  /** IANA zone in which people read moments; `UTC` unless told. */
  readonly zone?: string
}

export interface Compiled {
  /** Absent when there are problems. With references it is whole only when they are resolved. */
  readonly message?: OutboundMessage
  readonly problems: readonly AmlProblem[]
  readonly warnings: readonly AmlProblem[]
  /** Only for managed agents, and only when there are any. */
  readonly references?: readonly Reference[]
}

/**
 * Content named by its id. Of an image `path` is the member that holds `image:<id>` and wants an address; of everything
 * else it is the part before which its parts belong (`parts[2]`: after the first two).
 */
export interface Reference extends Position {
  readonly kind: 'image' | 'template' | 'things' | 'collection'
  readonly ids: readonly string[]
  readonly path: string
}
