/** Whether a flow still belongs to the body it was made from. */

/**
 * Of a body, in 53 bits: enough to notice an edit, and nobody gains by forging it. Two lanes are mixed a character at a
 * time, each multiplied by an odd number, and folded together at the end.
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
  /** Of the body that a flow without `generatedFrom` was written for. */
  readonly flowBodyHash?: string
}

export function isStale({ body, flow, flowBodyHash }: PlaybookFlow): boolean {
  const sourceHash = flow?.generatedFrom?.bodyHash ?? flowBodyHash
  return flow !== undefined && sourceHash !== undefined && sourceHash !== bodyHash(body)
}
