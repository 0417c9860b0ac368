/** A web page that is read as a source, and its version for conditional requests. */

export interface PageVersion {
  readonly etag?: string
  readonly lastModified?: string
}

export type Page =
  | { readonly kind: 'page'; readonly contentType: string; readonly bytes: Uint8Array; readonly version: PageVersion }
  | { readonly kind: 'unchanged' }
  /** A sentence for operators, without internal details. */
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'stopped' }

export interface PageRequest {
  readonly url: string
  /** The version that was read last: an unchanged page is not sent again. */
  readonly version: PageVersion
  readonly signal: AbortSignal
}
