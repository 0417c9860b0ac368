/** Appearance of a web chat, read from its configuration. */

export interface ChatLook {
  readonly title: string
  /** The first text that a visitor sees, before any message. */
  readonly greeting?: string
  /** `#rrggbb`. */
  readonly brandColor?: string
  readonly logoUrl?: string
  readonly privacyUrl?: string
}

/** `name` is the agent's, for a chat without a title. Inputs that are no text are ignored. */
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
