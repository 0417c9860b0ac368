/** What a web chat looks like: what the gateway gives its widget and page to show, read from how the chat was set up. */

export interface ChatLook {
  readonly title: string
  /** The first line that a visitor sees, before anybody has written. */
  readonly greeting?: string
  /** `#rrggbb`. */
  readonly brandColor?: string
  readonly logoUrl?: string
  readonly privacyUrl?: string
}

/** `name` is the agent's, for a chat that has no title of its own. Whatever is not words is left out. */
export function chatLook(name: string, inputs: Readonly<Record<string, unknown>> = {}): ChatLook {
  const textInput = (key: string) => {
    const value = inputs[key]
    return typeof value === 'string' && value.trim() !== '' ? value : undefined
  }
  const [greeting, brandColor] = [textInput('greeting'), textInput('brandColor')]
  const [logoUrl, privacyUrl] = [textInput('smallLogoUrl'), textInput('privacyPolicyUrl')]
  return {
    title: textInput('title') ?? name,
    ...(greeting !== undefined && { greeting }),
    ...(brandColor !== undefined && { brandColor }),
    ...(logoUrl !== undefined && { logoUrl }),
    ...(privacyUrl !== undefined && { privacyUrl }),
  }
}
