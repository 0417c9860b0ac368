/**
 * Outbound access of the management plane: org webhooks, tools, knowledge pages, calendars, geocoding, language models
 * and OAuth.
 */
import type { Egress } from '../../mgmt/index.js'
import { signedHeaders } from '../agentwebhook/sign.js'
import { openCalendarClient } from '../calendar/client.js'
import type { Clock } from '../clock.js'
import type { Config } from '../config/config.js'
import { openCaller } from '../egress/call.js'
import { checkUrl } from '../egress/guard.js'
import { openPoster } from '../egress/post.js'
import type { Emulator } from '../emulator/emulator.js'
import { openGeocoder } from '../geocode/geocoder.js'
import { openPageReader } from '../knowledge/page.js'
import { openModelClient } from '../model/client.js'
import { createOAuthClient } from '../oauth/client.js'
import { openProviderHttpClient } from '../oauth/httpclient.js'
import { readProviders } from '../oauth/providers.js'
import type { Semaphore } from '../semaphore.js'
import { createSmtpClient } from '../smtp/client.js'

export interface EgressOptions {
  readonly config: Config
  /** Bounds concurrent requests of org webhooks, tools and calendars. */
  readonly slots: Semaphore
  /** The emulated mail providers and chats of this node. */
  readonly emulator?: Pick<Emulator, 'origins' | 'mailApiUrl'>
  readonly clock: Clock
  /** Base URLs of the two planes without their version. */
  readonly mgmtUrl: () => string
  readonly gatewayUrl: () => string
}

export interface OpenEgress extends Egress {
  /** Aborts running requests. */
  close(): Promise<void>
}

export function openEgress({ config, slots, emulator, clock, mgmtUrl, gatewayUrl }: EgressOptions): OpenEgress {
  const { geocoderUrl, modelUrl, modelKey, modelName } = config
  const policy = { allowPrivate: config.allowPrivateUrls }
  const poster = openPoster({ ...policy, slots })
  const caller = openCaller({ ...policy, slots, clock, ...(emulator && { ownOrigins: emulator.origins }) })
  const pageReader = openPageReader(policy)
  const calendars = openCalendarClient({ ...policy, slots })
  const geocoder = geocoderUrl ? openGeocoder({ url: geocoderUrl, clock, publicUrl: gatewayUrl }) : undefined
  const model = modelUrl ? openModelClient({ url: modelUrl, key: modelKey, name: modelName }) : undefined
  const providers = readProviders(config.oauthProvidersFile, policy)
  const providerClient = openProviderHttpClient(policy)
  const redirectUri = () => `${mgmtUrl()}/v1/oauth/callback`
  return {
    post: poster.post,
    sign: signedHeaders,
    call: caller.call,
    sendBySmtp: createSmtpClient({ ...policy, clock }),
    ...(emulator && { mailApiUrl: emulator.mailApiUrl }),
    checkUrl: (url) => checkUrl(url, policy),
    getPage: pageReader.get,
    callCalendar: calendars.call,
    ...(geocoder && { geocode: geocoder.geocode }),
    ...(model && { model }),
    oauth: createOAuthClient({ ...policy, providers, httpClient: providerClient, redirectUri, clock }),
    async close() {
      const clients = [poster, caller, pageReader, calendars, geocoder, model, providerClient]
      await Promise.all(clients.map((client) => client?.close()))
    },
  }
}
