/** Types of the RCS Business Messaging bodies that this adapter writes. */

/** One request: a rendered message, a native payload, or an event such as typing. */
export type RbmPayload =
  | { readonly message: AgentMessage }
  | { readonly native: unknown }
  | { readonly event: AgentEvent }

export interface AgentMessage {
  readonly contentMessage: ContentMessage
}

export type AgentEvent =
  | { readonly eventType: 'IS_TYPING' }
  | { readonly eventType: 'READ'; readonly messageId: string }

/** Exactly one content, with chips below it. */
export type ContentMessage = (
  | { readonly text: string }
  | { readonly contentInfo: ContentInfo }
  | { readonly richCard: RichCard }
) & { readonly suggestions?: readonly Suggestion[] }

/** The platform fetches the file by its URL and takes the type from that response. */
export interface ContentInfo {
  readonly fileUrl: string
  readonly thumbnailUrl?: string
}

export type RichCard =
  | { readonly standaloneCard: { readonly cardOrientation: 'VERTICAL'; readonly cardContent: CardContent } }
  | { readonly carouselCard: { readonly cardWidth: 'MEDIUM'; readonly cardContents: readonly CardContent[] } }

/** At least one of title, description and media. */
export interface CardContent {
  readonly title?: string
  readonly description?: string
  readonly media?: { readonly height: 'MEDIUM' | 'TALL'; readonly contentInfo: ContentInfo }
  readonly suggestions?: readonly Suggestion[]
}

export type Suggestion =
  | { readonly reply: { readonly text: string; readonly postbackData: string } }
  | {
      readonly action: { readonly text: string } & Action & {
          readonly fallbackUrl?: string
          readonly postbackData: string
        }
    }

export type Action =
  | { readonly openUrlAction: { readonly url: string } }
  | { readonly dialAction: { readonly phoneNumber: string } }
  | { readonly viewLocationAction: ViewLocation }
  | { readonly shareLocationAction: Readonly<Record<string, never>> }
  | {
      readonly createCalendarEventAction: {
        readonly title: string
        readonly startTime: string
        readonly endTime: string
        readonly description?: string
      }
    }

export type ViewLocation =
  | { readonly latLong: { readonly latitude: number; readonly longitude: number }; readonly label?: string }
  | { readonly query: string }
