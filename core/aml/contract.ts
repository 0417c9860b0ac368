/** Input and result of compiling AML. */
import type { OutboundMessage } from '../amf/index.js'

/** Both start at 1. A column counts UTF-16 code units, as JavaScript strings do. */
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
  /** A known marker, or a line of a block, in a wrong form. */
  | 'badMarker'
  | 'badLine'
  | 'badDate'
  | 'duplicateId'
  | 'emptyList'
  | 'signalNotAlone'
  /** It refers to content that only managed agents have. */
  | 'managedOnly'
  /** A finding of AMF about the compiled message. */
  | 'invalidMessage'
  | 'invalidSignal'
  | 'unsupportedPart'
  | 'tooLarge'

export type WarningCode = 'unknownMarker' | 'longLabel' | 'tooManyChips' | 'pastSlot' | 'unknownOffset'

export interface CompileOptions {
  /** Slots before this time get a warning; absent: no slot does. Milliseconds since 1970. */
  readonly now?: number
  /** Unknown markers stay text and get a warning; otherwise they are problems. */
  readonly lenient?: boolean
  /** The caller resolves references to content; otherwise they are problems. */
  readonly managed?: boolean
  /** IANA zone in which people read moments; default `UTC`. */
  readonly zone?: string
}

export interface Compiled {
  /** Absent when there are problems. A message with references is complete once the caller has resolved them. */
  readonly message?: OutboundMessage
  readonly problems: readonly AmlProblem[]
  readonly warnings: readonly AmlProblem[]
  /** Only for managed agents, and only when there are any. */
  readonly references?: readonly Reference[]
}

/**
 * A reference to content by id. For an image, `path` is the member that holds `image:<id>` and needs an address; for
 * any other kind it is the part before which the content's parts belong (`parts[2]`: after the first two).
 */
export interface Reference extends Position {
  readonly kind: 'image' | 'template' | 'things' | 'collection'
  readonly ids: readonly string[]
  readonly path: string
}
