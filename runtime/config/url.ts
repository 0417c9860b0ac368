/**
 * Parses a URL. `URL.canParse` is not used: once compiled, it treats letters beyond ASCII differently (seen in Node
 * 20).
 */
export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base)
  } catch {
    return undefined
  }
}
