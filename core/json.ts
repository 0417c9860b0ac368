/** JSON of unknown shape: a parser that does not throw, and a guard for objects. */

/** Undefined if the text, or the UTF-8 bytes, are not JSON. */
export function parseJson(text: string | Uint8Array): unknown {
  try {
    return JSON.parse(typeof text === 'string' ? text : new TextDecoder('utf-8', { fatal: true }).decode(text))
  } catch {
    return undefined
  }
}

/** Whether a value is an object with members: neither null nor a list. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
