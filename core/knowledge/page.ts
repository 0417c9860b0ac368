/** A page that is read as a source, and what it says of its own version so that it need not be sent twice. */

export interface PageVersion {
  readonly etag?: string
  readonly lastModified?: string
}

export type Page =
  | { readonly kind: 'page'; readonly contentType: string; readonly bytes: Uint8Array; readonly version: PageVersion }
  | { readonly kind: 'unchanged' }
  /** A sentence for operators; it names nothing of our side. */
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'stopped' }

export interface PageRequest {
  readonly url: string
  /** Of what was read last: a page that is still the same is not sent again. */
  readonly version: PageVersion
  readonly signal: AbortSignal
}
