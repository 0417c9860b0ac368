/** Outbound access of the management plane: org webhooks, knowledge pages, geocoding, language models and OAuth. */
import type { Egress } from '../../mgmt/index.js'
import { signedHeaders } from '../agentwebhook/sign.js'
import type { Clock } from '../clock.js'
import type { Config } from '../config/config.js'
import { checkUrl } from '../egress/guard.js'
import { openPoster } from '../egress/post.js'
import { openGeocoder } from '../geocode/geocoder.js'
import { openPageReader } from '../knowledge/page.js'
import { openModelClient } from '../model/client.js'
import { createOAuthClient } from '../oauth/client.js'
import { openProviderHttpClient } from '../oauth/httpclient.js'
import { readProviders } from '../oauth/providers.js'
import type { Semaphore } from '../semaphore.js'

export interface EgressOptions {
  readonly config: Config
  /** Bounds concurrent requests of org webhooks. */
  readonly slots: Semaphore
  readonly clock: Clock
  /** Base URLs of the two planes without their version. */
  readonly mgmtUrl: () => string
  readonly gatewayUrl: () => string
}

export interface OpenEgress extends Egress {
  /** Aborts running requests. */
  close(): Promise<void>
}

export function openEgress({ config, slots, clock, mgmtUrl, gatewayUrl }: EgressOptions): OpenEgress {
  const { geocoderUrl, modelUrl, modelKey, modelName } = config
  const policy = { allowPrivate: config.allowPrivateUrls }
  const poster = openPoster({ ...policy, slots })
  const pageReader = openPageReader(policy)
  const geocoder = geocoderUrl ? openGeocoder({ url: geocoderUrl, clock, publicUrl: gatewayUrl }) : undefined
  const model = modelUrl ? openModelClient({ url: modelUrl, key: modelKey, name: modelName }) : undefined
  const providers = readProviders(config.oauthProvidersFile, policy)
  const providerClient = openProviderHttpClient(policy)
  const redirectUri = () => `${mgmtUrl()}/v1/oauth/callback`
  return {
    post: poster.post,
    sign: signedHeaders,
    checkUrl: (url) => checkUrl(url, policy),
    getPage: pageReader.get,
    ...(geocoder && { geocode: geocoder.geocode }),
    ...(model && { model }),
    oauth: createOAuthClient({ ...policy, providers, httpClient: providerClient, redirectUri, clock }),
    async close() {
      await Promise.all([poster.close(), pageReader.close(), geocoder?.close(), model?.close(), providerClient.close()])
    },
  }
}
