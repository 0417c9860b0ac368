/** The programs that tests start besides Node, and how a machine that lacks one gets it. */
import { spawnSync } from 'node:child_process'
import { accessSync, constants, existsSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** A program, or a file by its whole path, and the Debian packages that bring it, with a space between. */
const packageOf: Readonly<Record<string, string>> = {
  'nats-server': 'nats-server',
  'redis-server': 'redis-server',
  openssl: 'openssl',
  chromium: 'chromium',
  curl: 'curl',
  cc: 'gcc libc6-dev',
  radicale: 'radicale',
  perl: 'perl',
  '/usr/share/perl5/Net/SMPP.pm': 'libnet-smpp-perl',
}

/** While this file says 101, Debian installs a server without starting it. */
const startPolicy = '/usr/sbin/policy-rc.d'

/** True when everything is there, perhaps only now; otherwise it has said what to install. */
export function havePackages(print: (line: string) => void): boolean {
  const missing = missingPackages()
  if (missing.length === 0) return true
  if (process.getuid?.() === 0 && find('apt-get')) {
    print(`Installing what the tests need: ${missing.join(' ')}`)
    install(missing)
  }
  const lacking = missingPackages()
  if (lacking.length === 0) return true
  print(`The tests need programs that are not here. On Debian or Ubuntu:\n  sudo apt-get install ${lacking.join(' ')}`)
  return false
}

function missingPackages(): string[] {
  const missing = Object.entries(packageOf).filter(([program]) => !find(program))
  return [...new Set(missing.flatMap(([, packages]) => packages.split(' ')))]
}

function install(packages: string[]): void {
  // A machine that has a policy of its own keeps it.
  const ownPolicy = !existsSync(startPolicy)
  if (ownPolicy) writeFileSync(startPolicy, '#!/bin/sh\nexit 101\n', { mode: 0o755 })
  try {
    aptGet('update')
    aptGet('install', '-y', '--no-install-recommends', ...packages)
  } finally {
    if (ownPolicy) rmSync(startPolicy, { force: true })
  }
}

/**
 * What it says goes to stderr, so that the output of the tests stays theirs. Its failure shows as a package missing.
 */
function aptGet(...args: string[]): void {
  spawnSync('apt-get', ['-q', ...args], {
    stdio: ['ignore', 2, 2],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  })
}

function find(program: string): string | undefined {
  if (program.startsWith('/')) return existsSync(program) ? program : undefined
  const folders = (process.env.PATH ?? '').split(delimiter)
  return folders.map((folder) => join(folder, program)).find(isExecutable)
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
