/** The banner of a started node: its addresses, pages to open, and a command to paste. */
import type { RunningNode } from './listen.js'

export function banner({ urls, node }: RunningNode, isKeyConfigured: boolean): string {
  const { orgId, key } = node.bootstrapResult
  const lines = ['', 'Parley is running.', '']
  if (urls.mgmt) lines.push(`  Management API  ${urls.mgmt}/v1   docs ${urls.mgmt}/v1/docs`)
  if (urls.gateway) lines.push(`  Gateway         ${urls.gateway}/v4   docs ${urls.gateway}/v4/docs`)
  const servers = node.emulator.providers.started()
  if (servers) lines.push(`  Providers       ${servers.httpUrl}   emulated, and SMPP on port ${servers.smppPort}`)
  const pageLink = node.sample.link()
  if (pageLink) lines.push('', '  Talk to the sample agents, with phones of every kind, for a day:', `    ${pageLink}`)
  if (key && !isKeyConfigured) {
    lines.push('', `  API key of the org "${orgId}", shown this once:`, `    ${key}`)
  }
  if (!key && !isKeyConfigured && urls.mgmt) {
    lines.push('', `  The API key of the org "${orgId}" was shown at the first start. To set another, start once with`)
    lines.push('    PARLEY_RECOVER=true PARLEY_BOOTSTRAP_KEY=sk-svc-<24 random characters or more>')
  }
  if (urls.mgmt)
    lines.push(
      '',
      '  Try it:',
      `    ${exampleCommand(urls.mgmt, orgId, isKeyConfigured ? '$PARLEY_BOOTSTRAP_KEY' : key)}`,
    )
  return `${lines.join('\n')}\n\n`
}

/** A working command: with the key while it is known, without authentication afterwards. */
function exampleCommand(url: string, orgId: string, key: string | undefined): string {
  if (!key) return `curl ${url}/readyz`
  return `curl -H "Authorization: Bearer ${key}" ${url}/v1/orgs/${orgId}`
}
