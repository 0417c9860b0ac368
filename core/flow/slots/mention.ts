/** A value of a certain type that a text contains, and where it stands. */

export interface Mention<Value> {
  readonly value: Value
  readonly from: number
  /** The index after it. */
  readonly to: number
}

/** The one value that a text mentions; undefined when it mentions none, or several that differ. */
export function onlyValue<Value>(mentions: readonly Mention<Value>[]): Value | undefined {
  const values = new Set(mentions.map(({ value }) => value))
  return values.size === 1 ? mentions[0]!.value : undefined
}

/** The text with mentions, in their order, blanked out: a reader of another type does not read them again. */
export function withoutMentions(text: string, mentions: readonly Mention<unknown>[]): string {
  let rest = ''
  let end = 0
  for (const { from, to } of mentions) {
    rest += text.slice(end, from) + ' '.repeat(to - from)
    end = to
  }
  return rest + text.slice(end)
}
