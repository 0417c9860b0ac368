/** Detects whether a playbook's body has changed since its flow was made. */

/**
 * A 53-bit hash of a body: enough to notice an edit, not meant to resist forgery. Two lanes are mixed one character at
 * a time, each multiplied by an odd number, and combined at the end.
 */
export function bodyHash(body: string): string {
  let high = 0xdeadbeef
  let low = 0x41c6ce57
  for (let at = 0; at < body.length; at++) {
    const code = body.charCodeAt(at)
    high = Math.imul(high ^ code, 2654435761)
    low = Math.imul(low ^ code, 1597334677)
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909)
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909)
  return (4294967296 * (2097151 & low) + (high >>> 0)).toString(16).padStart(14, '0')
}

interface PlaybookFlow {
  readonly body: string
  readonly flow?: { readonly generatedFrom?: { readonly bodyHash: string } }
  /** Hash of the body for which a flow without `generatedFrom` was written. */
  readonly flowBodyHash?: string
}

export function isStale({ body, flow, flowBodyHash }: PlaybookFlow): boolean {
  const written = flow?.generatedFrom?.bodyHash ?? flowBodyHash
  const current = bodyHash(body)
  return flow !== undefined && written !== undefined && written !== current
}
