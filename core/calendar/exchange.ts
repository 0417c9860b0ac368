/** Requests to a calendar's server and their answers, as the management plane passes them to its HTTP client. */

export interface CalendarRequest {
  readonly method: 'GET' | 'PUT' | 'DELETE' | 'PROPFIND' | 'REPORT'
  readonly url: string
  /** With the credentials. */
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** A redirect is an answer, and is not followed: credentials are for the address that the operator named. */
export type CalendarResponse =
  | { readonly ok: true; readonly status: number; readonly etag?: string; readonly body: Uint8Array }
  | {
      readonly ok: false
      /** `refused`: the URL must not be called. `unsent`: nothing was sent. `unknown`: it may have arrived. */
      readonly reason: 'refused' | 'unsent' | 'unknown'
      /** One sentence without a secret. */
      readonly message: string
    }
