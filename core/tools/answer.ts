/** What a flow or a model sees of a tool's answer: JSON or text, without secrets and hidden fields, cut to a bound. */
import { isRecord, parseJson } from '../json.js'
import { isWithinJsonBounds } from '../jsonbounds.js'
import { tools as limits, turn } from '../limits/index.js'

export interface AnswerRules {
  /** Values that an answer may repeat and nobody may see. */
  readonly secrets: readonly string[]
  /** Names of members that are removed wherever they are. */
  readonly hiddenFields?: readonly string[]
}

const bounds = { depth: limits.answerDepth, tokens: limits.answerTokens }

/** Null for an empty answer. */
export function readAnswer(body: Uint8Array, isCut: boolean, { secrets, hiddenFields = [] }: AnswerRules): unknown {
  if (body.length === 0) return null
  const parsed = !isCut && isWithinJsonBounds(body, bounds) ? parseJson(body) : undefined
  if (parsed === undefined && hiddenFields.length > 0) return { note: unreadable }
  const secretParts = partsOf(secrets)
  const result = clean(parsed ?? new TextDecoder().decode(body), secretParts, new Set(hiddenFields))
  return withinBounds(result, isCut)
}

const unreadable = 'The answer is no JSON that can be read, and is left out because fields of it are hidden.'

/** A value whose JSON is too long becomes the beginning of that JSON, with a note. */
function withinBounds(result: unknown, isCut: boolean): unknown {
  if (!isCut && bytesOf(result) <= turn.toolResultBytes) return result
  const whole = typeof result === 'string' ? result : JSON.stringify(result)
  const note = `The answer was cut to ${turn.toolResultBytes / 1024} KB.`
  let text = whole.slice(0, turn.toolResultBytes)
  let bytes = bytesOf({ note, text })
  while (bytes > turn.toolResultBytes) {
    text = text.slice(0, Math.floor((text.length * (turn.toolResultBytes - slackBytes)) / bytes))
    bytes = bytesOf({ note, text })
  }
  // Half a character may be left at the end.
  return { note, text: text.replace(/[\uD800-\uDBFF]$/, '') }
}

/** So much less than allowed is aimed at, so that a few rounds suffice. */
const slackBytes = 256

function bytesOf(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).length
}

/** A secret, and what follows its scheme: an answer may repeat a token without the word `Bearer` before it. */
function partsOf(secrets: readonly string[]): string[] {
  const parts = new Set(secrets.flatMap((secret) => [secret, ...secret.split(/\s+/).slice(1)]))
  return [...parts].filter((part) => part.length >= limits.secretMinChars).sort((a, b) => b.length - a.length)
}

function clean(value: unknown, secrets: readonly string[], hidden: ReadonlySet<string>): unknown {
  if (typeof value === 'string') return withoutSecrets(value, secrets)
  if (Array.isArray(value)) return value.map((each) => clean(each, secrets, hidden))
  if (!isRecord(value)) return value
  const shown = Object.entries(value).filter(([name]) => !hidden.has(name))
  return Object.fromEntries(shown.map(([name, each]) => [withoutSecrets(name, secrets), clean(each, secrets, hidden)]))
}

function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((cleaned, secret) => cleaned.replaceAll(secret, '[secret]'), text)
}
