/** Reads a URL. Not by `URL.canParse`: once compiled it judges letters beyond ASCII otherwise than before (seen in Node 20). */
export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base)
  } catch {
    return undefined
  }
}
