/** As much of the provider that tests sign in at as they touch. */
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http'

  interface Interaction {
    readonly uid: string
    readonly prompt: { readonly name: string }
    readonly params: { readonly client_id: string; readonly scope?: string }
    readonly session?: { readonly accountId: string }
  }

  interface Grant {
    addOIDCScope(scope: string): void
    save(): Promise<string>
    destroy(): Promise<void>
  }

  export default class Provider {
    constructor(issuer: string, configuration: object)
    readonly Grant: {
      new (about: { accountId: string; clientId: string }): Grant
      find(id: string): Promise<Grant | undefined>
    }
    callback(): (request: IncomingMessage, response: ServerResponse) => void
    interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<Interaction>
    interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>
  }
}
